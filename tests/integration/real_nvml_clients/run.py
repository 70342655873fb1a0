#!/usr/bin/env python3
"""Runs unmodified NVML clients written by others on the fake driver, for several machine files.

Each client must see what the machine file says.  The clients come from Debian's contrib and
non-free; they are unpacked into a cache directory and never installed or kept in the repository.
Exit status: 0 all agree, 1 one does not, 77 nothing could be run (an error where CI=true).
"""

import argparse
import json
import os
import pathlib
import sys

import clients
import packages
from machine import Machine, compare_status

SKIPPED = 77


def report(problems, what):
    print(f"{'FAIL' if problems else 'ok  '}  {what}", flush=True)
    for problem in problems:
        print(f"        {problem}")
    return bool(problems)


def run_clients(machine, root, library):
    """True where a client disagrees with the machine file."""
    failed = False
    place = clients.Place(root=root, library=library, machine=machine)
    for name, check in clients.ALL.items():
        try:
            problems = check(place)
        except packages.Missing as missing:
            print(f"skip  {machine.name}: {name}: {missing}", flush=True)
            failed |= os.environ.get("CI") == "true"
            continue
        failed |= report(problems, f"{machine.name}: {name}")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="directory of the fake libnvidia-ml.so.1")
    parser.add_argument("--machines", required=True, help="directory of machine files")
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/gpu-platform-nvml-clients"))
    parser.add_argument("--only", help="this machine file only, by name")
    parser.add_argument("--status-json", help="also compare this `gpu-platform status -o json`")
    options = parser.parse_args()

    files = sorted(pathlib.Path(options.machines).glob("*.yaml"))
    machines = [Machine(path) for path in files if options.only in (None, path.stem)]
    if options.status_json:
        status = json.loads(pathlib.Path(options.status_json).read_text(encoding="utf-8"))
        return int(report(compare_status(machines[0], status), "status -o json"))
    try:
        root = packages.unpack(pathlib.Path(options.cache))
    except packages.Missing as missing:
        print(f"skip  every client: {missing}")
        return 1 if os.environ.get("CI") == "true" else SKIPPED
    failed = [machine.name for machine in machines if run_clients(machine, root, options.library)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
