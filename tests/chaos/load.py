"""A mix of jobs whose traces prove how often each of their attempts ran."""

import collections
import json
import os
import threading
import time

# Appends whole lines: O_APPEND and one write each, so ranks do not disturb each other.
_BODY = """#!/bin/sh
me="$GP_JOB_ID $GP_ATTEMPT $GP_NODE_RANK"
echo "start $me" >> {traces}
case $1 in
  until) while [ ! -e $2 ]; do sleep 0.1; done ;;
  sleep) sleep $2 ;;
esac
echo "end $me" >> {traces}
exit $3
"""

Kind = collections.namedtuple("Kind", "name nodes gpus body exit_code state")

KINDS = [
    Kind("quick", 1, 1, ("none", "0"), 0, "COMPLETED"),
    Kind("sleeping", 1, 1, ("sleep", "1.5"), 0, "COMPLETED"),
    Kind("failing", 1, 1, ("sleep", "0.1"), 3, "FAILED"),
    Kind("gang", 2, 2, ("sleep", "0.4"), 0, "COMPLETED"),
    Kind("cpu", 1, 0, ("sleep", "0.3"), 0, "COMPLETED"),
]


class Load:
    """Submits jobs on a thread of its own until told to stop; keeps what was acknowledged."""

    def __init__(self, cluster, random):
        self.cluster = cluster
        self.acknowledged = {}  # job -> (kind, request id)
        self.submits = 0        # tries, the ones without an answer too
        self._random = random
        self._traces = os.path.join(cluster.shared, "traces")
        self._body = os.path.join(cluster.shared, "body.sh")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        with open(self._traces, "w"):
            os.chmod(self._traces, 0o666)
        with open(self._body, "w") as file:
            file.write(_BODY.format(traces=self._traces))
        os.chmod(self._body, 0o755)

    def start(self):
        self._thread.start()

    def stop(self):
        self._stop.set()
        self._thread.join()

    def submit(self, kind, request):
        """One job; asks again, with the same request id, until there is an answer."""
        spec = {"name": kind.name, "nodes": kind.nodes, "checkpoint": {"grace": "2s"},
                "resources": {"gpus": kind.gpus, "cpus": 1, "memory": "64MiB"},
                "run": [self._body, *kind.body, str(kind.exit_code)]}
        text = json.dumps(spec).encode()
        while True:
            self.submits += 1
            answer = self.cluster.cli("-q", "jobs", "submit", "--request-id", request, "-", input=text)
            if answer.code == 0:
                break
            assert answer.code == 8, answer  # nobody answers: it may or may not have been taken
            time.sleep(0.05)
        (job,) = answer.lines
        assert self.acknowledged.setdefault(job, (kind, request)) == (kind, request), f"{job} was given twice"
        return job

    def traces(self):
        """(what, job, attempt, rank) -> how often."""
        with open(self._traces) as file:
            lines = [line.split() for line in file]
        return collections.Counter((what, job, int(attempt), int(rank)) for what, job, attempt, rank in lines)

    def _run(self):
        number = 0
        while not self._stop.is_set():
            number += 1
            self.submit(self._random.choice(KINDS), f"load-{number}")
            self._stop.wait(self._random.uniform(0, 0.15))
