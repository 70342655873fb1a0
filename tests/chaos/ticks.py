"""Jobs that say, many times a second, that they live: two attempts alive at once would show."""

import os
import time

_BODY = """#!/bin/sh
while [ ! -e $1 ]; do
  echo "$GP_JOB_ID $GP_ATTEMPT $GP_NODE_RANK $(date +%s.%N) $GP_NODE_LIST" >> {ticks}
  sleep 0.05
done
exit $2
"""


class Ticks:
    """Starts ticking jobs in a cluster; tells when which attempt of them was alive."""

    def __init__(self, cluster):
        self.cluster = cluster
        self._path = os.path.join(cluster.shared, "ticks")
        self._body = os.path.join(cluster.shared, "ticking.sh")
        with open(self._path, "w"):
            os.chmod(self._path, 0o666)
        with open(self._body, "w") as file:
            file.write(_BODY.format(ticks=self._path))
        os.chmod(self._body, 0o755)

    def start(self, *flags, exit_code=0, nodes=1, gpus=1):
        """A job that ticks until `release`; its id."""
        return self.cluster.cli.start(
            "--nodes", nodes, "--gpus", gpus, "--grace", "2s", *flags,
            command=[self._body, self._release(), exit_code])

    def release(self):
        with open(self._release(), "w"):
            pass

    def spans(self, job):
        """(attempt, rank) -> (first tick, last tick), seconds since 1970."""
        spans = {}
        with open(self._path) as file:
            for line in file:
                if not line.endswith("\n"):
                    continue  # being written
                name, attempt, rank, at, _ = line.split()
                if name == job:
                    key, at = (int(attempt), int(rank)), float(at)
                    first, last = spans.get(key, (at, at))
                    spans[key] = (min(first, at), max(last, at))
        return spans

    def ticks_now(self, job, attempt, rank=0):
        """Whether this attempt has ticked within the last half second."""
        last = self.spans(job).get((attempt, rank), (0, 0))[1]
        return time.time() - last < 0.5

    def overlaps(self, job):
        """Pairs of attempts that were alive at the same time; there must be none."""
        spans = self.spans(job)
        return [(a, b) for a in spans for b in spans
                if a[0] < b[0] and spans[a][1] > spans[b][0]]

    def _release(self):
        return os.path.join(self.cluster.shared, "release")
