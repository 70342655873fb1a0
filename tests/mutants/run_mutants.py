#!/usr/bin/env python3
"""Plants the mutants of mutants.txt, one at a time, and demands that a test notices each.

Only the mutated file is compiled, into a scratch directory, and linked in front of the libraries of an
existing build; sources and build stay as they are.

  run_mutants.py --build build/release            all of them, every net on each (the full form)
  run_mutants.py --build build/release --first    all of them; the first net that notices is enough
  run_mutants.py --build build/release --ci       those marked "ci", likewise
  run_mutants.py --build build/release --world    those marked "world" or "world-only", in the whole system: 1,000 worlds for each;
                                                  those marked "shared" or "shared-only" in worlds with three controllers
  run_mutants.py --build build/release --only ID,ID
  run_mutants.py --build build/release --check    none is planted: each text occurs exactly once, and each compiles
  run_mutants.py --build build/release --check --commits 10    likewise; compiled are those of files that these commits changed
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
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The nets, quickest first: what runs, and how much of it.
NETS = [("golden", {}), ("unit_domain", {}), ("unit_metering", {}), ("unit_base", {}), ("unit_explaining", {}), ("property_codec", {"GP_CASES": "5000"}),
        ("property_placement", {"GP_CASES": "5000"}), ("property_explain", {}), ("property_fair_share", {}), ("property_backfill", {}),
        ("property_faults", {}), ("property_sequences", {"GP_SEQUENCES": "3000"}),
        ("unit_sqlite", {}), ("unit_metric_files", {}), ("unit_backup", {}), ("unit_control", {}), ("unit_replication", {}), ("unit_agent", {}), ("unit_infrastructure", {}), ("unit_process", {}), ("unit_supervisor", {}), ("crash_files", {}), ("crash_journal", {}), ("crash_damage", {}),
        ("unit_watch", {}), ("unit_tcp_ports", {}), ("unit_driver_files", {}), ("unit_rsh", {}), ("unit_images", {}), ("unit_data_store", {}), ("unit_objects", {}), ("unit_wire", {}), ("unit_access", {}), ("unit_api", {}), ("unit_rest", {}), ("unit_audit", {}), ("unit_notify", {}), ("unit_tls", {}), ("unit_sockets", {}), ("unit_link", {}), ("unit_relay", {}), ("unit_grpc", {})]
# What is kept on disk, what runs on a node and who may come in have nets of their own, and the domain has none of these.
KEEPS = ("src/adapters/outbound/metric_files/", "src/adapters/outbound/sqlite/", "src/application/backup/", "src/application/control/", "src/application/replication/", "src/files/", "src/infrastructure/", "src/supervisor/")
NETS_OF_KEEPS = ("unit_sqlite", "unit_metric_files", "unit_backup", "unit_control", "unit_replication", "unit_infrastructure", "unit_process", "unit_supervisor", "crash_")
ON_NODES = ("src/application/agent/", "src/adapters/outbound/data_store/", "src/adapters/outbound/driver_files/", "src/adapters/outbound/images/", "src/adapters/outbound/objects/", "src/adapters/outbound/tcp_ports/", "src/adapters/outbound/watch/", "src/rsh/")
NETS_OF_NODES = ("unit_agent", "unit_data_store", "unit_driver_files", "unit_images", "unit_objects", "unit_rsh", "unit_tcp_ports", "unit_watch")
AT_DOORS = ("src/application/access/", "src/adapters/wire/", "src/adapters/inbound/api/", "src/adapters/inbound/grpc/", "src/adapters/inbound/link/", "src/adapters/inbound/relay/", "src/adapters/inbound/rest/", "src/adapters/outbound/audit/",
            "src/adapters/outbound/link/", "src/adapters/outbound/notify/", "src/lib/sockets/", "src/lib/tls/")
NETS_OF_DOORS = ("unit_wire", "unit_access", "unit_api", "unit_rest", "unit_audit", "unit_notify", "unit_tls", "unit_sockets", "unit_link", "unit_relay", "unit_grpc")
WORLD_NETS = [("simulation_world", {"GP_WORLDS": "1000", "GTEST_FILTER": "Worlds.HoldEveryRule"})]
SHARED_NETS = [("simulation_world", {"GP_WORLDS": "1000", "GTEST_FILTER": "Worlds.HoldEveryRuleWithThreeControllers"})]
HANGS_AFTER_S = 180
# The precompiled header of what is compiled with -O2, and the same one for -O1 (cmake/Targets.cmake).
PRECOMPILED = ("/src/base/CMakeFiles/gp_base.dir/cmake_pch.", "/src/files/CMakeFiles/gp_files.dir/cmake_pch.")


class Mutant:
    def __init__(self, block):
        lines = block.splitlines()
        words = lines[0].split()
        self.id, self.in_ci = words[0], "ci" in words[1:]
        self.is_shared = "shared" in words[1:] or "shared-only" in words[1:]
        self.in_world = self.is_shared or "world" in words[1:] or "world-only" in words[1:]
        self.only_world = "world-only" in words[1:] or "shared-only" in words[1:]
        self.is_for_world = self.only_world  # what it is planted into now
        fields = dict(line.split(": ", 1) for line in lines[1:] if line[0] not in "-+")
        self.rule, self.file = fields["rule"], fields["file"]
        self.compiled = fields.get("compile", self.file)  # where the file is a header
        self.old = "\n".join(line[1:] for line in lines[1:] if line.startswith("-"))
        self.new = "\n".join(line[1:] for line in lines[1:] if line.startswith("+"))

    def nets(self):
        if self.is_for_world:
            return SHARED_NETS if self.is_shared else WORLD_NETS
        for files, of_their_own in ((KEEPS, NETS_OF_KEEPS), (ON_NODES, NETS_OF_NODES), (AT_DOORS, NETS_OF_DOORS)):
            if self.file.startswith(files) or self.compiled.startswith(files):
                return [net for net in NETS if net[0].startswith(of_their_own)]
        return [net for net in NETS if not net[0].startswith(NETS_OF_KEEPS + NETS_OF_NODES + NETS_OF_DOORS)]

    def text(self, healthy=None):
        healthy = healthy or (ROOT / self.file).read_text()
        if healthy.count(self.old) != 1:
            sys.exit(f"{self.id}: its text occurs {healthy.count(self.old)} times in {self.file}, not once: "
                     "the source has changed, update mutants.txt")
        return healthy.replace(self.old, self.new)


def read_mutants():
    """All of them; each must still be plantable, also those that are not planted now."""
    text = (ROOT / "tests/mutants/mutants.txt").read_text()
    mutants = [Mutant(block.strip("\n")) for block in re.split(r"^== ", text, flags=re.M)[1:]]
    for mutant in mutants:
        mutant.text()
    return mutants


def sources_of(file):
    """Of a batch that is compiled together, the files that it includes."""
    if "/Unity/" not in file:
        return [file]
    return re.findall(r'^#include "(.+)"', pathlib.Path(file).read_text(), flags=re.M)


def folders_of(source):
    """The folder of a file, and those above it: a library may have subfolders."""
    return pathlib.Path(source).relative_to(ROOT).parents if source.startswith(f"{ROOT}/") else []


class Build:
    """How an existing build compiles a file and links a test."""

    def __init__(self, directory, names, is_quick=False):
        """Quick: mutated files are compiled with -O1, a quarter faster than as they are shipped."""
        self.directory = directory
        self.is_quick = is_quick
        if names:
            subprocess.run(["ninja", "-C", directory] + names, check=True, stdout=subprocess.DEVNULL)
        entries = json.loads((directory / "compile_commands.json").read_text())
        # By the library of the file's own directory or one above it, as other programs may compile it again; or by its
        # test, where a mutated header is in no library.
        self.compile_commands = {
            source: entry["command"] for entry in entries for source in sources_of(entry["file"])
            if source.startswith(f"{ROOT}/tests/unit/")
            or any(f" {folder}/CMakeFiles/gp_" in entry["command"] for folder in folders_of(source))}
        self.link_commands = {net: self.link_command(net) for net in names}

    def link_command(self, net):
        commands = subprocess.run(["ninja", "-C", self.directory, "-t", "commands", f"bin/{net}"], check=True,
                                  capture_output=True, text=True).stdout.splitlines()
        return commands[-1].removeprefix(": && ").removesuffix(" && :")

    def run(self, words):
        done = subprocess.run(words, cwd=self.directory, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{shlex.join(words)}:\n{done.stderr[-3000:]}")

    def compile(self, mutant, scratch, only_syntax=False):
        """The object of the mutated file; files beside it that were written to scratch come first."""
        words = shlex.split(self.compile_commands[str(ROOT / mutant.compiled)])
        if only_syntax or "/Unity/" not in words[-1]:
            words[-1] = str(scratch / mutant.compiled)
        else:  # its neighbours in the batch are compiled with it, as they share an object
            batch = pathlib.Path(words[-1]).read_text()
            words[-1] = str(scratch / "batch.cc")
            pathlib.Path(words[-1]).write_text(
                batch.replace(f'"{ROOT / mutant.compiled}"', f'"{scratch / mutant.compiled}"'))
        if self.is_quick:
            words = ["-O1" if word == "-O2" else word.replace(*PRECOMPILED) for word in words]
        words[words.index("-o") + 1] = str(scratch / "mutant.o")
        words.insert(words.index(f"-I{ROOT}/src"), f"-I{scratch}/src")
        self.run(words + ["-fsyntax-only"] if only_syntax else words)

    def link(self, net, mutant, scratch):
        """False: the net does not contain the mutated file."""
        words = shlex.split(self.link_commands[net])
        healthy, target = re.search(r" -o (\S*CMakeFiles/(\w+)\.dir\S*)", self.compile_commands[str(ROOT / mutant.compiled)]).groups()
        out = words.index("-o") + 1
        words[out] = str(scratch / net)
        if healthy in words:
            words[words.index(healthy)] = str(scratch / "mutant.o")
        elif f"lib/lib{target}.a" in words:
            words.insert(out + 1, str(scratch / "mutant.o"))  # before the library that has the healthy one
        else:
            return False
        self.run(words)
        return True


def first_failure(output):
    failed = re.findall(r"^\[  FAILED  \] ([\w./]+)", output, flags=re.M)
    running = re.findall(r"^\[ RUN      \] ([\w./]+)", output, flags=re.M)
    name = failed[0] if failed else running[-1] + " (died)" if running else "?"
    return name.replace("GoldenTable.HappensAsWritten/", "").removeprefix("All/")


def run_net(program, environment):
    """What noticed, or nothing."""
    try:
        done = subprocess.run([program], capture_output=True, text=True, errors="replace",
                              timeout=HANGS_AFTER_S, env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return f"{program.name}: hangs"
    return f"{program.name}: {first_failure(done.stdout)}" if done.returncode != 0 else ""


def judge(build, mutant, all_nets):
    caught = []
    with tempfile.TemporaryDirectory(prefix="gpu-platform-mutant-") as directory:
        scratch = pathlib.Path(directory)
        plant(scratch, mutant, mutant.text())
        build.compile(mutant, scratch)
        for net, environment in mutant.nets():
            if build.link(net, mutant, scratch) and (found := run_net(scratch / net, environment)):
                caught.append(found)
                if not all_nets:
                    break
    return caught


def plant(scratch, mutant, text):
    """The mutated file, and the file that is compiled, where a compiler finds them before the healthy ones."""
    for name in {mutant.file, mutant.compiled}:
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        (scratch / name).write_text((ROOT / name).read_text())
    (scratch / mutant.file).write_text(text)


def compiles(build, mutants, text):
    """What the compiler says of these mutants in one file; nothing: it takes them."""
    with tempfile.TemporaryDirectory(prefix="gpu-platform-mutant-") as directory:
        plant(pathlib.Path(directory), mutants[0], text)
        try:
            build.compile(mutants[0], pathlib.Path(directory), only_syntax=True)
        except RuntimeError as error:
            return str(error)
    return ""


def check_file(build, mutants):
    """Those of one file that do not compile.  As many as do not overlap are planted together, since a compiler reads
    them all in the time of one; where that fails, each by itself."""
    failed, left = [], list(mutants)
    while left:
        text, together = (ROOT / left[0].file).read_text(), []
        for mutant in list(left):
            if text.count(mutant.old) == 1:
                text = mutant.text(text)
                together.append(mutant)
                left.remove(mutant)
        if compiles(build, together, text):
            failed += [mutant.id for mutant in together if compiles(build, [mutant], mutant.text())]
    return failed


def changed(commits):
    """The files that the newest commits changed, or that are changed and not committed."""
    commands = (["git", "log", f"-{commits}", "--name-only", "--format="], ["git", "diff", "--name-only", "HEAD"])
    return {name for command in commands
            for name in subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()}


def check(directory, jobs, commits):
    by_file = {}
    files = changed(commits) if commits else None
    for mutant in read_mutants():
        if files is None or mutant.file in files or mutant.compiled in files:
            by_file.setdefault((mutant.file, mutant.compiled), []).append(mutant)
    build = Build(directory, [])
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        failed = sum(pool.map(lambda mutants: check_file(build, mutants), by_file.values()), [])
    count = sum(map(len, by_file.values()))
    print(f"{count} mutants of {len(by_file)} files, {len(failed)} do not compile")
    if failed:
        sys.exit(f"update mutants.txt: {', '.join(failed)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--ci", action="store_true", help="only those marked so, until the first net notices")
    parser.add_argument("--first", action="store_true", help="plant no further nets than the first that notices")
    parser.add_argument("--world", action="store_true", help="only those marked so, by the simulation of the whole system")
    parser.add_argument("--check", action="store_true", help="whether each could be planted, and no more")
    parser.add_argument("--commits", type=int, help="with --check: compile only those of files that the newest commits changed")
    parser.add_argument("--only", default="", help="ids, separated by commas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float, default=60, help="begin no further one after this time")
    options = parser.parse_args()
    if options.check:
        return check(options.build.resolve(), options.jobs, options.commits)
    only = set(filter(None, options.only.split(",")))
    wanted = (lambda m: m.in_world) if options.world else (lambda m: not m.only_world and (m.in_ci or not options.ci))
    mutants = [m for m in read_mutants() if (m.id in only if only else wanted(m))]
    for mutant in mutants:
        mutant.is_for_world |= options.world
    if not mutants:
        sys.exit("no such mutant")
    began = time.monotonic()
    nets = [net for net in NETS + WORLD_NETS + SHARED_NETS if any(net in mutant.nets() for mutant in mutants)]
    build = Build(options.build.resolve(), [name for name, _ in nets], is_quick=options.ci)
    # In CI the nets are tests of their own.
    for net, environment in [] if options.ci else nets:
        if found := run_net(build.directory / "bin" / net, environment):
            sys.exit(f"the tests fail without any mutant: {found}")

    def plant_and_judge(mutant):
        if time.monotonic() - began > options.minutes * 60:
            return None
        try:
            return judge(build, mutant, not (options.ci or options.first))
        except RuntimeError as error:
            return error

    print("mutant | rule | caught by\n--|--|--")
    survivors, left, unbuilt = [], [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutant, caught in zip(mutants, pool.map(plant_and_judge, mutants)):
            if caught is None:
                left.append(mutant.id)
                continue
            if isinstance(caught, RuntimeError):
                print(f"{mutant.id} | {mutant.rule} | cannot be built: {str(caught)[-300:]}", flush=True)
                unbuilt.append(mutant.id)
                continue
            print(f"{mutant.id} | {mutant.rule} | {'; '.join(caught) or 'NOBODY'}", flush=True)
            if not caught:
                survivors.append(mutant.id)
    print(f"\n{len(mutants) - len(left) - len(unbuilt)} mutants, {len(survivors)} survived, "
          f"{time.monotonic() - began:.0f} s")
    if unbuilt:
        sys.exit(f"not built, update mutants.txt: {', '.join(unbuilt)}")
    if left:
        sys.exit(f"out of time: {', '.join(left)} were not planted")
    if survivors:
        sys.exit(f"nobody noticed: {', '.join(survivors)}")


if __name__ == "__main__":
    main()
