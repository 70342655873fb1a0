#!/usr/bin/python3
"""The device matrix, the escapes and the abuse of `security_isolation` on a virtual Debian machine that has cgroup v2 alone.

cgroup2_isolation_test.py --build DIRECTORY [--cache DIRECTORY] [--release bookworm]
Needs root, mmdebstrap and qemu-system-x86.  The programs stand on the machine where the build has them.
"""

import argparse
import collections
import os
import re
import shutil
import sys
import time
import unittest
import xml.etree.ElementTree

import machine
import vm

PROGRAMS = ("security_isolation", "gp_escape")
CORES = 2  # a job is kept on one of them
PATIENCE = 1800  # seconds: to boot, and for each answer
RUN_SECONDS = 7200  # without KVM the machine is slow; beside other work it exceeds time limits of the tests themselves
RESULT = "/root/result.xml"
OUTPUT = "/root/output"
ENDED = "/root/ended"
ESCAPES = "/root/escapes"
RUN = """
{program} --gtest_output=xml:{result} > {output} 2>&1
echo $? > {ended}
"""
# A test removes what the escape program printed, so a second name of each such file is kept.
KEEP_ESCAPES = f"""
import glob, os, time
while True:
    for path in glob.glob("/var/tmp/gp-test-*/logs/escape/0.out"):
        kept = "{ESCAPES}/" + path.split("/")[3]
        if not os.path.exists(kept):
            os.link(path, kept)
    time.sleep(0.05)
"""
# The hierarchies that such a host lacks.  Every test of them is skipped, and no other.
ABSENT = {"LegacyAlone", "LegacyBesideUnified"}
SKIPPED = re.compile(r"this kernel or mount layout does not offer (\w+)\s*$")
# Runs of the escape program with BPF: without an image, in one of a directory, and in one of layers.
ESCAPE_RUNS = 3
ESCAPES_MIN = 40
NOT_TRIED = "no such tree"  # an escape from a hierarchy that is not there
options = argparse.Namespace()


class Cgroup2Isolation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        archive = machine.base_archive(options.cache, options.release, vm.PACKAGES)
        cls.vm = vm.Vm("n1", archive, cores=CORES, patience=PATIENCE)
        cls.addClassCleanup(cls.vm.stop)
        programs = os.path.join(os.path.realpath(options.build), "bin")
        os.makedirs(cls.vm.path(programs))
        for name in PROGRAMS:
            shutil.copy(os.path.join(programs, name), cls.vm.path(programs))
        program = os.path.join(programs, PROGRAMS[0])
        cls.vm.write("/root/run", RUN.format(program=program, result=RESULT, output=OUTPUT, ended=ENDED))
        cls.vm.write("/root/keep_escapes.py", KEEP_ESCAPES)
        cls.vm.start()
        print(cls.vm.shell("systemctl --version | head -n 1; uname -r; nproc"), flush=True)

    def test_1_the_machine_has_cgroup_v2_alone(self):
        mounts = [line.split() for line in self.vm.must("cat", "/proc/self/mounts").splitlines()]
        self.assertEqual([fields[1:3] for fields in mounts if fields[2].startswith("cgroup")], [["/sys/fs/cgroup", "cgroup2"]])
        self.assertLessEqual({"cpu", "cpuset", "memory", "pids"}, set(self.vm.must("cat", "/sys/fs/cgroup/cgroup.controllers").split()))

    def test_2_all_tests_hold(self):
        self.vm.must("mkdir", ESCAPES)
        self.vm.must("systemd-run", "--unit=keep-escapes", "python3", "/root/keep_escapes.py")
        begun = time.monotonic()
        self.vm.must("systemd-run", "--unit=isolation", "-p", "Delegate=yes", "sh", "/root/run")
        self.follow(begun + RUN_SECONDS)
        print(f"{time.monotonic() - begun:.0f} s", flush=True)
        self.vm.must("systemctl", "stop", "keep-escapes")
        tests = list(xml.etree.ElementTree.fromstring(self.vm.must("cat", RESULT)).iter("testcase"))
        failed = [name_of(test) for test in tests if test.find("failure") is not None]
        skipped = {name_of(test): test.find("skipped").get("message") for test in tests if test.find("skipped") is not None}
        print(f"{len(tests)} tests, {len(failed)} failed, {len(skipped)} skipped", flush=True)
        self.assertEqual(failed, [])
        self.assertEqual(self.vm.must("cat", ENDED), "0\n")
        self.check_skipped(tests, skipped)

    def test_3_no_escape_succeeds(self):
        files = self.vm.must("ls", ESCAPES).split()
        self.assertEqual(len(files), ESCAPE_RUNS)
        for file in files:
            lines = self.vm.must("cat", f"{ESCAPES}/{file}").splitlines()
            self.assertEqual([line for line in lines if not line.startswith("held ")], [])
            absent = [line for line in lines if line.endswith(NOT_TRIED)]
            print(f"{len(lines)} escapes, {len(absent)} of them from a hierarchy that is not there", flush=True)
            self.assertGreater(len(lines) - len(absent), ESCAPES_MIN)
        print("\n".join(lines), flush=True)

    def follow(self, end):
        """Prints what the program writes until it has ended."""
        seen = 0
        while True:
            has_ended = self.vm.run("test", "-e", ENDED).returncode == 0
            new = self.vm.run("tail", "-c", f"+{seen + 1}", OUTPUT).stdout
            seen += len(new.encode())
            print(new, end="", flush=True)
            if has_ended:
                return
            self.assertLess(time.monotonic(), end, "the tests have not ended")
            time.sleep(2)

    def check_skipped(self, tests, skipped):
        hierarchies = collections.Counter()
        for name, message in skipped.items():
            match = SKIPPED.search(message)
            self.assertTrue(match, f"{name}: {message}")
            hierarchies[match.group(1)] += 1
        print(dict(hierarchies), flush=True)
        self.assertEqual(set(hierarchies), ABSENT)
        self.assertEqual(set(skipped), {name_of(test) for test in tests if any(kind in test.get("name") for kind in ABSENT)})
        for kind in ("Bpf", "Unified"):
            self.assertTrue(any(f"/{kind}" in name_of(test) for test in tests if name_of(test) not in skipped), kind)


def name_of(test):
    return f"{test.get('classname')}.{test.get('name')}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cache", default="/var/cache/gpu-platform-test")
    parser.add_argument("--release", default="bookworm")
    options, others = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *others], verbosity=2)
