#!/usr/bin/python3
"""What it costs to start the program: processor time of `gpu-platform version` and of `git --help`, medians of runs one after the
other.  It measures a copy, as an installed program is one: what a linker has just written lies in smaller pieces in memory."""

import argparse
import json
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile


def cpu_ms(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="gpu-platform")
    parser.add_argument("--runs", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        copy = shutil.copy(options.binary, pathlib.Path(directory) / "gpu-platform")
        pairs = [(cpu_ms([copy, "version"]), cpu_ms(["git", "--help"])) for _ in range(options.runs)]
    own, git = (statistics.median(times) for times in zip(*pairs))
    print(json.dumps({"gpu_platform_ms": round(own, 2), "git_ms": round(git, 2), "ratio": round(own / git, 2)}))


if __name__ == "__main__":
    main()
