#!/usr/bin/python3
"""The tarball on a fresh Debian machine under systemd, where no package of ours is: every command of its INSTALL.

tarball_install_test.py --packages DIRECTORY [--cache DIRECTORY] [--release bookworm]
Needs root and mmdebstrap.
"""

import argparse
import shutil
import sys
import unittest

import by_hand
import machine

options = argparse.Namespace()


class TarballInstall(unittest.TestCase):
    def test_its_commands_lead_to_a_first_job_and_an_upgrade_keeps_jobs(self):
        one = machine.Machine("n1", machine.base_archive(options.cache, options.release, ("python3",)))
        self.addCleanup(one.stop)
        tarball = by_hand.tarball(options.packages)
        shutil.copy(tarball, one.path("/root/gpu-platform.tar.gz"))
        one.shell("mkdir unpacked && tar -xf gpu-platform.tar.gz --strip-components=1 -C unpacked")
        for command in by_hand.commands(tarball):
            # What enters the machine is in no cgroup of it, as a login is.
            own_cgroup = "systemd-run --quiet --pipe --wait -p Delegate=yes --setenv PATH " if command == "gpu-platform demo" else ""
            one.shell(f"cd unpacked; export PATH=/usr/local/bin:$PATH; {own_cgroup}{command}")
        program = "/usr/local/bin/gpu-platform"
        self.assertIn("first job", one.must(program, "run", "--gpus", "1", "--", "echo", "first job"))
        self.assertEqual(one.must("systemctl", "is-enabled", "gpu-platform").strip(), "enabled")
        self.assertIn("/usr/local/", one.shell("cd /; python3 -c 'import gpu_platform; print(gpu_platform.__file__)'"))
        job = one.must(program, "run", "-d", "--gpus", "1", "--", "sleep", "100000").split()[-1]
        one.until(20, "a job runs", "sh", "-c", f"{program} jobs list --state RUNNING -o name | grep -q .")
        one.shell(f"cd unpacked; {by_hand.commands(tarball)[0]}; systemctl restart gpu-platform")
        self.assertIn(job, one.must(program, "jobs", "list", "--state", "RUNNING", "-o", "name"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", required=True)
    parser.add_argument("--cache", default="/var/cache/gpu-platform-test")
    parser.add_argument("--release", default="bookworm")
    options, others = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *others], verbosity=2)
