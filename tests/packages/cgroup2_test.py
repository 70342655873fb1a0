#!/usr/bin/python3
"""The packages on a virtual Debian machine whose kernel has all controllers in cgroup v2: limits, device rules, upgrade, restart, crash.

cgroup2_test.py --packages DIRECTORY [--cache DIRECTORY] [--release bookworm]
Needs root, mmdebstrap and qemu-system-x86.  One node is in the controller's unit, the other in a unit of its own.
"""

import argparse
import json
import os
import shutil
import sys
import time
import unittest

import machine
import repack
import vm

NAMES = ("gpu-platform", "gpu-platform-controller", "gpu-platform-agent", "gpu-platform-simulator")
UNITS = ("gpu-platform", "gpu-platform-agent")
NODES = ("dgx-h100-0", "n2")
MEMORY = 64 << 20
PATIENCE = 300  # seconds: without KVM the machine is slow
# The first process of each job, the cgroup of that process, and its limit of memory.
RUNNING_JOBS = """
for pid in $(pgrep -f '^sleep 100000'); do
  group=$(cut -d: -f3 /proc/$pid/cgroup)
  echo $pid $group $(cat /sys/fs/cgroup$group/memory.max)
done
"""
options = argparse.Namespace()


class Cgroup2(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vm = vm.Vm("n1", machine.base_archive(options.cache, options.release, vm.PACKAGES))
        cls.addClassCleanup(cls.vm.stop)
        cls.vm.write("/etc/hosts", "127.0.0.1 localhost n1\n")
        shutil.copytree(options.packages, cls.vm.path("/packages"), ignore=shutil.ignore_patterns("*dbgsym*", "*.tar.gz"))
        os.mkdir(cls.vm.path("/newer"))
        for name in NAMES:
            repack.newer(options.packages, name, cls.vm.path(f"/newer/{name}.deb"))
        cls.vm.start()
        print(cls.vm.shell("systemctl --version | head -n 1; uname -r"), flush=True)

    def submit(self, *words):
        return self.vm.run("gpu-platform", "run", "--gpus", "1", *words)

    def running(self):
        """Of each job its node and attempt, and what the machine has of them."""
        jobs = json.loads(self.vm.must("gpu-platform", "jobs", "list", "--state", "RUNNING", "-o", "json"))["jobs"]
        return sorted((job["id"], job["attempt"]) for job in jobs), self.vm.shell(RUNNING_JOBS).splitlines()

    def check_undisturbed(self, before):
        time.sleep(12)  # a node that does not come back is lost by then
        for node in NODES:
            self.vm.until(PATIENCE, f"{node} is back", "sh", "-c", f"gpu-platform nodes list | grep -q '{node} *UP'")
        self.assertEqual(self.running(), before)
        for unit in UNITS:
            self.vm.must("systemctl", "is-active", unit)

    def test_1_install_to_first_job(self):
        self.assertLessEqual({"cpu", "cpuset", "memory", "pids"}, set(self.vm.must("cat", "/sys/fs/cgroup/cgroup.controllers").split()))
        self.vm.shell("apt-get install -y -qq " + " ".join(f"/packages/{name}_*.deb" for name in NAMES))
        said = self.vm.must("gpu-platform", "init", "--yes", "--simulate", "dgx-h100")
        self.vm.must("systemctl", "restart", "gpu-platform")
        self.vm.until(PATIENCE, "the controller answers", "gpu-platform", "status")
        self.assertIn("first job", self.submit("--", "echo", "first job").stdout)
        line = next(line for line in said.splitlines() if "init agent" in line).split("ssh NODE ")[1]
        self.vm.shell(line.replace(" < ", " --simulate dgx-h100 --node-index 1 --name n2 < "))
        self.vm.must("systemctl", "restart", "gpu-platform-agent")
        self.vm.until(PATIENCE, "the second node", "sh", "-c", "gpu-platform nodes list | grep -q 'n2 *UP'")

    def test_2_memory_is_limited(self):
        takes = f"import sys; x = b'x' * {2 * MEMORY}; print('took it')"
        done = self.submit("--memory", str(MEMORY >> 20) + "MiB", "--", "python3", "-c", takes)
        print(done.stdout, done.stderr, flush=True)
        self.assertNotIn("took it", done.stdout)
        self.assertEqual(done.returncode, 137)

    def test_3_devices_are_denied(self):
        self.vm.shell("mknod -m 666 /dev/other c 1 11")
        self.vm.shell("su -s /bin/sh gpu-job -c 'echo outside > /dev/other'")
        done = self.submit("--", "sh", "-c", "echo inside > /dev/other")
        self.assertIn("Operation not permitted", done.stdout + done.stderr)

    def test_4_an_upgrade_interrupts_no_job(self):
        for _ in range(10):
            self.vm.must("gpu-platform", "run", "-d", "--gpus", "1", "--memory", str(MEMORY >> 20) + "MiB", "--", "sleep", "100000")
        self.vm.until(PATIENCE, "ten jobs run", "sh", "-c", "test $(gpu-platform jobs list --state RUNNING -o name | wc -l) -ge 10")
        before = self.running()
        print("\n".join(before[1]), flush=True)
        self.assertEqual([line.split()[-1] for line in before[1]], 10 * [str(MEMORY)])
        print(self.vm.shell("apt-get install -y -qq /newer/*.deb 2>&1 | tail -n 5"), flush=True)
        self.check_undisturbed(before)

    def test_5_a_restart_interrupts_no_job(self):
        before = self.running()
        self.vm.must("systemctl", "restart", *UNITS)
        self.check_undisturbed(before)

    def test_6_a_crash_interrupts_no_job(self):
        before = self.running()
        self.vm.shell("kill -KILL $(systemctl show --property=MainPID --value " + " ".join(UNITS) + ")")
        self.check_undisturbed(before)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", required=True)
    parser.add_argument("--cache", default="/var/cache/gpu-platform-test")
    parser.add_argument("--release", default="bookworm")
    options, others = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *others], verbosity=2, failfast=True)
