#!/usr/bin/env python3
"""Tries to open every GPU of the host and prints the result of each.

The kernel decides by the device number, not by name or directory:
  reached   the kernel permitted the open (also ENXIO: a simulated GPU has no driver)
  refused   EPERM: not this job's GPU
PROBE_DIRECTORIES may name more directories with device nodes, separated by colons.

Exit code: 13 if any GPU was refused, 0 if all could be opened.
"""
import errno
import os
import re
import sys


def probe(path):
    try:
        os.close(os.open(path, os.O_RDWR))
        return "reached"
    except OSError as error:
        if error.errno == errno.ENXIO:
            return "reached"
        if error.errno == errno.EPERM:
            return "refused"
        return os.strerror(error.errno)


def main():
    directories = [os.environ.get("GP_DEVICE_DIRECTORY") or "/dev"]
    directories += filter(None, os.environ.get("PROBE_DIRECTORIES", "").split(":"))
    outcomes = {}
    for directory in dict.fromkeys(directories):
        for name in os.listdir(directory):
            if re.fullmatch(r"nvidia\d+", name):
                outcomes[name] = probe(os.path.join(directory, name))
    for name in sorted(outcomes, key=lambda name: int(name[len("nvidia"):])):
        print(f"{name} {outcomes[name]}")
    if not outcomes:
        print("no GPU devices found")
    return 13 if "refused" in outcomes.values() else 0


if __name__ == "__main__":
    sys.exit(main())
