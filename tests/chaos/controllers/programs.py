"""Jobs whose programs write down by themselves when they begin, live and end: evidence that no controller can make."""

import collections
import os

# One short write a line, into a file of the job's own.  The clock is the one of the clients; it has hundredths of a second.
_BODY = """#!/bin/sh
file={directory}/$GP_JOB_ID
say() {{
  read -r at rest < /proc/uptime
  echo "$1 $GP_JOB_ID $name $GP_ATTEMPT $GP_NODE_RANK $node $$ $at $2" >> $file
}}
name=$1 turns=$2 code=$3
node=$(echo $GP_NODE_LIST | cut -d, -f$((GP_NODE_RANK + 1)))
umask 0
trap 'say stopped; exit 143' TERM
say start $CUDA_VISIBLE_DEVICES
while [ $turns -gt 0 ]; do
  sleep 0.2
  say alive
  turns=$((turns - 1))
done
say end
exit $code
"""

Kind = collections.namedtuple("Kind", "weight nodes gpus turns exit_code")
KINDS = {
    "quick": Kind(3, 1, 1, (0, 3), 0),
    "broad": Kind(4, 1, 8, (10, 40), 0),
    "gang": Kind(3, 2, 4, (15, 60), 0),
    "failing": Kind(1, 1, 1, (0, 5), 3),
    "cpu": Kind(1, 1, 0, (0, 5), 0),
    "long": Kind(1, 1, 2, (40, 100), 0),
}
_NODES_NEVER = 99


class Programs:
    def __init__(self, shared):
        self.directory = os.path.join(shared, "evidence")
        os.mkdir(self.directory)
        os.chmod(self.directory, 0o777)
        self._body = os.path.join(shared, "evident.sh")
        with open(self._body, "w", encoding="utf-8") as file:
            file.write(_BODY.format(directory=self.directory))
        os.chmod(self._body, 0o755)

    def draw(self, name, random):
        kinds = sorted(KINDS)
        kind = KINDS[random.choices(kinds, [KINDS[one].weight for one in kinds])[0]]
        return self._spec(name, kind.nodes, kind.gpus, random.randint(*kind.turns), kind.exit_code)

    def impossible(self, name):
        return self._spec(name, _NODES_NEVER, 1, 0, 0)

    def _spec(self, name, nodes, gpus, turns, code):
        return {"name": name, "nodes": nodes, "gpus": {"count": gpus}, "cpus": 1, "memory_bytes": 64 << 20, "grace_ms": 2000,
                "command": [self._body, name, str(turns), str(code)]}
