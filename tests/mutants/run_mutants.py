#!/usr/bin/env python3
"""Plants the mutants of mutants.txt, one at a time, into a copy of the domain and its tests, and
demands that a test notices each.  The sources themselves are never touched.

  run_mutants.py                  all of them, every net on each (the full form)
  run_mutants.py --ci             those marked "ci", the first net that notices is enough
  run_mutants.py --only ID,ID     these
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIED = ["cmake", "src/base", "src/domain", "tests/support", "tests/golden", "tests/unit/domain",
          "tests/unit/base", "tests/property"]
LEFT_OUT = {"src/CMakeLists.txt", "tests/CMakeLists.txt"}
# The nets, quickest first: what runs, and how much of it.
NETS = [("golden", {}), ("unit_domain", {}), ("unit_base", {}), ("property_codec", {"GP_CASES": "5000"}),
        ("property_placement", {"GP_CASES": "5000"}), ("property_sequences", {"GP_SEQUENCES": "2000"})]
HANGS_AFTER_S = 120

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(mutants LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/cmake)
include(Defaults)
include(Targets)
set(CMAKE_CXX_FLAGS_RELEASE "-O1")
enable_testing()
find_package(GTest REQUIRED)
add_subdirectory(src/base)
add_subdirectory(src/domain)
add_subdirectory(tests/support)
gp_test(unit_base tests/unit/base DEPS gp_base)
gp_test(unit_domain tests/unit/domain DEPS gp_test_support)
add_subdirectory(tests/golden)
add_subdirectory(tests/property)
"""


class Mutant:
    def __init__(self, block):
        lines = block.splitlines()
        words = lines[0].split()
        self.id, self.in_ci = words[0], "ci" in words[1:]
        self.rule = lines[1].removeprefix("rule: ")
        self.file = lines[2].removeprefix("file: ")
        self.old = "\n".join(line[1:] for line in lines[3:] if line.startswith("-"))
        self.new = "\n".join(line[1:] for line in lines[3:] if line.startswith("+"))

    def applied_to(self, text):
        if text.count(self.old) != 1:
            sys.exit(f"{self.id}: its text occurs {text.count(self.old)} times in {self.file}, not once: "
                     "the source has changed, mend mutants.txt")
        return text.replace(self.old, self.new)


def read_mutants():
    text = (ROOT / "tests/mutants/mutants.txt").read_text()
    return [Mutant(block.strip("\n")) for block in re.split(r"^== ", text, flags=re.M)[1:]]


def copy_if_changed(source, target):
    """Keeps the times of files that are the same, so that a build in the scratch tree goes on."""
    if target.exists() and target.read_bytes() == source.read_bytes():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def prepare(scratch):
    wanted = {"CMakeLists.txt"}
    for top in COPIED:
        for path in (ROOT / top).rglob("*"):
            name = str(path.relative_to(ROOT))
            if path.is_file() and name not in LEFT_OUT:
                wanted.add(name)
                copy_if_changed(path, scratch / name)
    for path in scratch.rglob("*"):
        name = str(path.relative_to(scratch))
        if path.is_file() and not name.startswith("build/") and name not in wanted:
            path.unlink()
    if not (scratch / "CMakeLists.txt").exists() or (scratch / "CMakeLists.txt").read_text() != CMAKE:
        (scratch / "CMakeLists.txt").write_text(CMAKE)
    subprocess.run(["cmake", "-S", scratch, "-B", scratch / "build", "-G", "Ninja",
                    "-DCMAKE_BUILD_TYPE=Release"], check=True, stdout=subprocess.DEVNULL)


def build(scratch, jobs):
    done = subprocess.run(["ninja", "-C", scratch / "build", f"-j{jobs}"] + [net for net, _ in NETS],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("does not compile:\n" + done.stdout[-3000:])


def first_failure(output):
    if found := re.search(r"assert.*|.*\bbug\b.*", output, flags=re.I):
        asserted = found.group(0)
    else:
        asserted = ""
    failed = re.findall(r"^\[  FAILED  \] ([\w./]+)", output, flags=re.M)
    running = re.findall(r"^\[ RUN      \] ([\w./]+)", output, flags=re.M)
    name = failed[0] if failed else running[-1] if running else "?"
    return name.removeprefix("All/") + (" (asserted)" if asserted and not failed else "")


def run_net(scratch, net, environment):
    """What noticed, or nothing."""
    try:
        done = subprocess.run([scratch / "build/bin" / net], capture_output=True, text=True, errors="replace",
                              timeout=HANGS_AFTER_S, env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return f"{net}: hangs"
    if done.returncode == 0:
        return ""
    return f"{net}: {first_failure(done.stdout + done.stderr)}"


def judge(scratch, all_nets):
    caught = []
    for net, environment in NETS:
        if found := run_net(scratch, net, environment):
            caught.append(found)
            if not all_nets:
                break
    return caught


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ci", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", default=str(os.cpu_count()))
    parser.add_argument("--scratch", default="/tmp/gpu-platform-mutants")
    parser.add_argument("--minutes", type=float, default=60, help="plant no further one after so long")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    mutants = [m for m in read_mutants() if (m.id in only if only else m.in_ci or not options.ci)]
    if not mutants:
        sys.exit("no such mutant")
    began = time.monotonic()
    scratch = pathlib.Path(options.scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    prepare(scratch)
    build(scratch, options.jobs)
    if healthy := judge(scratch, True):
        sys.exit(f"the tests fail without any mutant: {healthy}")
    print("mutant | rule | caught by")
    print("--|--|--")
    survivors, left = [], []
    for mutant in mutants:
        if time.monotonic() - began > options.minutes * 60:
            left.append(mutant.id)
            continue
        path = scratch / mutant.file
        healthy = path.read_text()
        path.write_text(mutant.applied_to(healthy))
        try:
            build(scratch, options.jobs)
            caught = judge(scratch, not options.ci)
        finally:
            path.write_text(healthy)
        print(f"{mutant.id} | {mutant.rule} | {'; '.join(caught) or 'NOBODY'}", flush=True)
        if not caught:
            survivors.append(mutant.id)
    print(f"\n{len(mutants) - len(left)} mutants, {len(survivors)} survived, "
          f"{time.monotonic() - began:.0f} s")
    if left:
        sys.exit(f"out of time: {', '.join(left)} were not planted")
    if survivors:
        sys.exit(f"nobody noticed: {', '.join(survivors)}")


if __name__ == "__main__":
    main()
