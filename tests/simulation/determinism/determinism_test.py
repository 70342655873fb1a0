#!/usr/bin/python3
"""The same decisions on one core and on two, and on every build that is given.

determinism_test.py [--jobs N] [--sequences N] PROGRAM [PROGRAM of another build]...
"""

import argparse
import os
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--jobs", default="4000")
parser.add_argument("--sequences", default="300")
parser.add_argument("programs", nargs="+")
options = parser.parse_args()

cores = sorted(os.sched_getaffinity(0))
digests = {}
for program in options.programs:
    for count in sorted({1, min(2, len(cores))}):
        words = ["taskset", "-c", ",".join(map(str, cores[:count])), program, options.jobs, options.sequences]
        digests[f"{program} on {count} core(s)"] = subprocess.run(words, check=True, capture_output=True, text=True).stdout
for name, text in digests.items():
    print(f"{name}\n{text}", end="")
distinct = set(digests.values())
print(f"{len(digests)} runs, " + ("one outcome" if len(distinct) == 1 else f"{len(distinct)} outcomes"))
sys.exit(len(distinct) != 1)
