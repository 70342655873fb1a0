#!/usr/bin/env python3
"""Checks that sources compile apart: each alone, without a precompiled header and without its neighbours in a batch.
A build compiles batches (docs/adr/0053), which hides a missing include and a name that only a neighbour declares.

Usage: check_apart.py BUILD [--commits N [--most M]] [FILE ...]
BUILD is a configured build directory.  Checked are the named files; else the sources that the newest N commits changed
(with the source beside a changed header), of these the M that were changed last; else all.  Exit code 1 if one does not
compile.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys


def commands(build):
    """The compile command of each source, as if it were no part of a batch."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        sources = [entry["file"]]
        if "/Unity/" in entry["file"]:
            sources = re.findall(r'^#include "(.+)"', pathlib.Path(entry["file"]).read_text(), flags=re.M)
        for source in sources:
            found.setdefault(source, (apart(words, source), entry["directory"]))
    return found


def apart(words, source):
    """Without launcher, output and precompiled header."""
    words = words[next(i for i, word in enumerate(words) if re.search(r"(g\+\+|clang\+\+|c\+\+)(-\d+)?$", word)):]
    kept, skip = [], 0
    for i, word in enumerate(words[:-1]):
        if skip:
            skip -= 1
        elif word == "-o" or (word == "-include" and "cmake_pch" in words[i + 1]):
            skip = 1
        elif word not in ("-c", "-fpch-preprocess", "-Winvalid-pch"):
            kept.append(word)
    return kept + ["-fsyntax-only", source]


def changed(root, commits):
    """The newest first; some more than once."""
    names = subprocess.run(["git", "log", f"-{commits}", "--name-only", "--format="], cwd=root, check=True,
                           capture_output=True, text=True).stdout.split()
    return [str(root / re.sub(r"\.h$", ".cc", name)) for name in names if re.search(r"\.(cc|h)$", name)]


def complaint(command, directory):
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--commits", type=int)
    parser.add_argument("--most", type=int)
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parents[1]
    known = commands(options.build.resolve())
    wanted = set(known)
    if options.files:
        wanted = {str(file.resolve()) for file in options.files}
        if unknown := wanted - set(known):
            sys.exit(f"not a source of this build: {', '.join(sorted(unknown))}")
    elif options.commits is not None:
        newest = dict.fromkeys(file for file in changed(root, options.commits) if file in known)
        wanted = set(list(newest)[:options.most])
    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, text in zip(sorted(wanted), pool.map(lambda file: complaint(*known[file]), sorted(wanted))):
            if text:
                failed.append(file)
                print(f"{file} does not compile apart:\n{text[:2000]}", flush=True)
    print(f"{len(wanted)} sources, {len(failed)} do not compile apart")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
