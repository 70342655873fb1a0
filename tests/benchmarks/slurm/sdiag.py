#!/usr/bin/python3
"""What a scheduling cycle costs Slurm, by its own account (sdiag), and this platform.

1,024 simulated GPUs (128 nodes of 8), all taken by jobs that do not end; then 10,000 jobs of mixed
shapes wait, and Slurm goes over them in its main cycles and in its backfill cycles.  Slurm's daemons
are real, all on this machine and on loopback, in a scratch directory, and stopped at the end.  The
platform's figures are those of `gpu-platform-experiments schedule` on as many nodes, from the same run.  Needs root.

Usage: sdiag.py --binary gpu-platform [--nodes 128] [--waiting 10000] [--seconds 180]
"""
import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import time

from compare import DIRECTORY, install_slurm, run
from many_nodes import GPUS, Slurm, adopt_orphans

# Of 20 waiting jobs: how many, nodes, GPUs a node.
SHAPES = [(8, 1, 1), (4, 1, 2), (3, 1, 4), (2, 1, 8), (2, 2, 8), (1, 4, 8)]
# What sdiag calls a figure.
FIGURES = {"Total cycles": "cycles", "Last cycle": "last_us", "Mean cycle": "mean_us", "Max cycle": "max_us",
           "Last depth cycle": "depth", "Mean depth cycle": "mean_depth", "Depth Mean": "mean_depth", "Last queue length": "queue"}


def read_sdiag(text):
    """{"main": {...}, "backfill": {...}} with the figures of FIGURES that each of the two has."""
    result, section = {"main": {}, "backfill": {}}, None
    for line in text.splitlines():
        if line.startswith("Main schedule"):
            section = "main"
        elif line.startswith("Backfilling"):
            section = "backfill"
        elif not line.startswith("\t") and line.strip():
            section = section if line.startswith(" ") else None
        match = re.match(r"\s+(.+?):\s+(\d+)\s*$", line)
        if section and match and match[1] in FIGURES:
            result[section][FIGURES[match[1]]] = int(match[2])
    return result


def measure_slurm(nodes, waiting, seconds):
    directory = tempfile.mkdtemp(prefix="sdiag-", dir=DIRECTORY)
    slurm = Slurm(directory, nodes)
    try:
        slurm.start()
        slurm.fill()
        slurm.submit_each([(ranks, gpus) for part, ranks, gpus in SHAPES for _ in range(part)], waiting)
        run("sdiag", "-r", env=slurm.environment)
        time.sleep(seconds)
        text = slurm.ask("sdiag")
        result = read_sdiag(text)
        result["pending"] = len(slurm.ask("squeue", "-h", "-r", "-t", "PD", "-o", "%i").split())
        result["version"] = slurm.ask("sinfo", "-V").strip()
        return result
    finally:
        slurm.stop()
        shutil.rmtree(directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--nodes", type=int, default=128)
    parser.add_argument("--waiting", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=180, help="how long Slurm goes over the waiting jobs")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("sdiag.py needs root: it starts Slurm's daemons")
    install_slurm()
    adopt_orphans()
    # As many shapes as Slurm gets, and each job a shape of its own: jobs of one shape are one question to the planner.
    result = {f"platform, {shapes} shapes": json.loads(run(
        arguments.binary, "schedule", "--nodes", str(arguments.nodes), "--gpus-per-node", str(GPUS),
        "--queued", str(arguments.waiting), "--shapes", str(shapes), "-o", "json")) for shapes in (len(SHAPES), arguments.waiting)}
    result["slurm"] = measure_slurm(arguments.nodes, arguments.waiting, arguments.seconds)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
