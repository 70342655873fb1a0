#!/usr/bin/python3
"""The tarball, unpacked in a copy of this machine's root: every command of its INSTALL, a first job, the Python client.

tarball_test.py --build DIRECTORY
A stand-in for systemctl starts the units: that systemd does is what tarball_install_test.py checks.
"""

import os
import shutil
import sys
import tempfile
import unittest

import by_hand
from build_packages import ROOT, make_packages
from live_platform.sandbox import Sandbox
from shell import Shell

SKIPPED = 77
build = ""


class Tarball(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="gp-test-")
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        make_packages(build, f"{cls.directory}/packages")
        cls.tarball = by_hand.tarball(f"{cls.directory}/packages")
        os.makedirs(f"{cls.directory}/used/opt/unpacked")
        shutil.copy(cls.tarball, f"{cls.directory}/used/opt/gpu-platform.tar.gz")

    def setUp(self):
        sandbox = Sandbox(f"gp-tarball-{os.getpid()}")
        self.shell = Shell(ROOT, "/usr/local/bin/gpu-platform", sandbox.place("shell"), used=f"{self.directory}/used")
        self.addCleanup(self.shell.close)
        self.addCleanup(sandbox.close)
        self.addCleanup(self.shell.kill)

    def must(self, command):
        code, text = self.shell.run(command, may_serve=False)
        self.assertEqual(code, 0, f"{command}\n{text}")
        return text

    def test_its_commands_lead_to_a_first_job(self):
        self.must("cd /opt && tar -xf gpu-platform.tar.gz --strip-components=1 -C unpacked && cd unpacked")
        self.must("! getent passwd gpu-job || userdel gpu-job")
        for command in by_hand.commands(self.tarball):
            if command == "gpu-platform status":
                self.must("until gpu-platform nodes list -o name 2> /dev/null | grep -q dgx-h100-1; do sleep 0.1; done")
            self.must(command)
        self.assertIn("/usr/local/bin/gpu-platform", self.must("cd /; command -v gpu-platform"))
        self.assertIn("gpu-job", self.must("gpu-platform run --gpus 8 --nodes 2 -- sh -c 'echo first job of $(id -un)'"))
        self.assertIn("/usr/local/", self.must("su ana -c 'python3 -c \"import gpu_platform; print(gpu_platform.__file__)\"'"))
        self.must("test -e /usr/local/share/man/man1/gpu-platform-run.1.gz")
        self.must("gpu-platform config validate /usr/local/share/gpu-platform/examples/controller.yaml")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["--build"]:
        build = os.path.abspath(arguments[1])
        arguments = arguments[2:]
    if os.geteuid() != 0:
        sys.stderr.write("SKIPPED: this test needs root: it installs into a copy of the file system\n")
        sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)
