#!/usr/bin/python3
"""The packages on fresh Debian machines under systemd: install, first job, second node, upgrade, restart, purge.

install_test.py --packages DIRECTORY [--from DIRECTORY] [--cache DIRECTORY] [--release bookworm]
Needs root and mmdebstrap.
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

WATCHED = ("etc", "lib", "usr", "var/lib", "run")  # where packages leave things
# What dpkg, adduser and systemd keep of any package.
KEPT = ("var/lib/dpkg/", "var/lib/systemd/", "etc/group", "etc/gshadow", "etc/passwd", "etc/shadow", "etc/subuid", "etc/subgid", "run/systemd", "run/dbus",
        "var/lib/apt", "run/lock", "run/log", "usr/share/dbus-1", "usr/share/mime", "etc/systemd/system.control", "run/credentials", "run/dpkg")
packages = ""
installed = ""  # the packages before the upgrade
release = "bookworm"
cache = "/var/cache/gpu-platform-test"


def files_of(root):
    """Paths of files, below WATCHED."""
    found = set()
    for top in WATCHED:
        for directory, _, names in os.walk(os.path.join(root, top)):
            for name in names + [""]:
                path = os.path.relpath(os.path.join(directory, name), root)
                if not path.startswith(KEPT):
                    found.add(path)
    return found


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        archive = machine.base_archive(cache, release)
        cls.first = machine.Machine("n1", archive)
        cls.addClassCleanup(cls.first.stop)
        cls.second = machine.Machine("n2", archive)
        cls.addClassCleanup(cls.second.stop)
        machine.connect(cls.first, cls.second, "10.0.0.1", "10.0.0.2")
        for one in (cls.first, cls.second):
            shutil.copytree(installed, one.path("/packages"), ignore=shutil.ignore_patterns("*dbgsym*"))
            one.write("/etc/hosts", "127.0.0.1 localhost\n10.0.0.1 n1\n10.0.0.2 n2\n")

    def install(self, where, *names):
        where.shell("apt-get install -y -qq " + " ".join(f"/packages/{name}_*.deb" for name in names))

    def status(self):
        return json.loads(self.first.must("gpu-platform", "status", "--all", "-o", "json"))

    def jobs(self):
        return json.loads(self.first.must("gpu-platform", "jobs", "list", "--all", "-o", "json"))["jobs"]

    def test_1_install_to_first_job(self):
        type(self).files_before = files_of(self.first.root)
        begin = time.monotonic()
        self.install(self.first, "gpu-platform", "gpu-platform-controller", "gpu-platform-simulator")
        self.first.must("gpu-platform", "init", "--yes", "--listen", "10.0.0.1:7070", "--simulate", "dgx-h100")
        self.first.must("systemctl", "restart", "gpu-platform")
        out = self.first.must("gpu-platform", "run", "--gpus", "1", "--", "echo", "first job")
        seconds = time.monotonic() - begin
        self.assertIn("first job", out)
        print(f"install to first output: {seconds:.1f} s", flush=True)
        self.assertEqual(self.first.must("systemctl", "is-active", "gpu-platform").strip(), "active")

    def test_2_second_node_joins_over_tls(self):
        self.install(self.second, "gpu-platform", "gpu-platform-agent", "gpu-platform-simulator")
        self.assertNotEqual(self.second.run("systemctl", "is-active", "gpu-platform-agent").returncode, 0, "it has no settings yet")
        again = self.first.must("gpu-platform", "init", "--yes", "--force", "--listen", "10.0.0.1:7070", "--simulate", "dgx-h100")
        line = next(line for line in again.splitlines() if "init agent" in line)
        command = line.split("ssh NODE ")[1].split(" < ")[0] + " --simulate dgx-h100 --node-index 1 --name n2"
        with open(self.first.path("/var/lib/gpu-platform/join-token"), encoding="utf-8") as token:
            self.second.must(*command.split(), stdin=token)
        self.second.must("systemctl", "restart", "gpu-platform-agent")
        self.first.until(30, "the second node", "sh", "-c", "gpu-platform nodes list | grep -q n2")
        out = self.first.must("gpu-platform", "run", "--nodes", "2", "--gpus", "8", "--", "hostname")
        self.assertIn("n", out)

    def test_2_backups_are_made_once_they_are_enabled(self):
        self.assertNotEqual(self.first.run("systemctl", "is-active", "--quiet", "gpu-platform-backup.timer").returncode, 0)
        self.first.must("systemctl", "enable", "--now", "gpu-platform-backup.timer")
        self.first.must("systemctl", "start", "gpu-platform-backup")
        copy = self.first.path("/var/backups/gpu-platform/journal.db")
        self.assertTrue(os.path.exists(copy))
        self.assertEqual(os.stat(os.path.dirname(copy)).st_mode & 0o077, 0)
        self.first.must("gpu-platform", "replay", "/var/backups/gpu-platform/journal.db")
        self.first.must("systemctl", "disable", "--now", "gpu-platform-backup.timer")
        self.first.shell("rm -r /var/backups/gpu-platform")

    def test_3_an_upgrade_interrupts_no_job(self):
        gang = ("--nodes", "2", "--gpus", "3")
        ids = [self.first.must("gpu-platform", "run", "-d", *size, "--", "sleep", "100000").split()[-1] for size in [gang] + 9 * [("--gpus", "1")]]
        self.first.until(20, "ten jobs run", "sh", "-c", "test $(gpu-platform jobs list --state RUNNING -o name | wc -l) -ge 10")
        attempts = {job["id"]: job["attempt"] for job in self.jobs() if job["id"] in ids}
        self.assertEqual(len(attempts), 10)
        for one, names in ((self.first, ("gpu-platform", "gpu-platform-controller", "gpu-platform-simulator")),
                           (self.second, ("gpu-platform", "gpu-platform-agent", "gpu-platform-simulator"))):
            os.makedirs(one.path("/newer"))
            for name in names:
                repack.newer(packages, name, one.path(f"/newer/{name}.deb"))
            one.shell("apt-get install -y -qq /newer/*.deb")
        self.first.must("gpu-platform", "status")
        self.first.must("systemctl", "restart", "gpu-platform")
        self.first.must("gpu-platform", "status")
        time.sleep(3)
        after = {job["id"]: (job["state"], job["attempt"]) for job in self.jobs() if job["id"] in ids}
        self.assertEqual(after, {job: ("RUNNING", attempt) for job, attempt in attempts.items()})

    def test_4_removal_is_refused_while_jobs_run(self):
        refused = self.first.run("apt-get", "purge", "-y", "-qq", "gpu-platform-controller")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("jobs are running on this machine", refused.stdout + refused.stderr)
        self.first.must("gpu-platform", "status")

    def test_5_a_removal_keeps_state_and_a_purge_does_not(self):
        for job in self.jobs():
            if job["state"] in ("RUNNING", "QUEUED"):
                self.first.must("gpu-platform", "jobs", "kill", job["id"])
        self.second.until(30, "no job runs there", "sh", "-c", "! pgrep -f supervisor[-]")
        self.second.must("systemctl", "stop", "gpu-platform-agent")
        self.second.shell("apt-get remove -y -qq gpu-platform")
        self.assertEqual(self.second.run("test", "-e", "/var/lib/gpu-platform/agent/identity.pem").returncode, 0)
        self.second.shell("apt-get purge -y -qq 'gpu-platform*'")
        self.assertEqual(self.second.run("test", "-e", "/var/lib/gpu-platform").returncode, 1)

    def test_6_purge_leaves_nothing(self):
        for job in self.jobs():
            if job["state"] in ("RUNNING", "QUEUED"):
                self.first.must("gpu-platform", "jobs", "kill", job["id"])
        self.first.until(30, "no job runs", "sh", "-c", "test -z \"$(gpu-platform jobs list --state RUNNING -o name)\"")
        self.first.shell("apt-get purge -y -qq 'gpu-platform*'")
        left = sorted(path for path in files_of(self.first.root) - self.files_before)
        self.assertEqual(left, [])
        self.assertNotEqual(self.first.run("getent", "passwd", "gpu-job").returncode, 0)


def main():
    global packages, installed, cache, release  # pylint: disable=global-statement
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", required=True)
    parser.add_argument("--from", dest="installed", help="packages of a release to upgrade from; default: those of --packages")
    parser.add_argument("--cache", default=cache)
    parser.add_argument("--release", default=release)
    options, rest = parser.parse_known_args()
    packages, cache, release = os.path.abspath(options.packages), os.path.abspath(options.cache), options.release
    installed = os.path.abspath(options.installed or options.packages)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2, failfast=True)


if __name__ == "__main__":
    main()
