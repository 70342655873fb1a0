#!/usr/bin/python3
"""A machine on which the README was followed before: its documents hold there too, and agents take what lies in a lower layer.

  used_machine_test.py --binary FILE
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from live_platform.sandbox import Sandbox
from reachable import reachable
from shell import Shell

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
STATE = "/var/lib/gpu-platform"

binary = ""


class UsedMachine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """What the README's first job leaves."""
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.used = pathlib.Path(directory.name)
        cls.used.chmod(0o755)
        with Entered() as shell:
            serve_and_run(shell, "echo a first job")
            for place in (STATE, "/run/gpu-platform"):
                cls.plant(shell.real_path(place), place)

    @classmethod
    def plant(cls, source, place):
        target = cls.used / place[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", source, target], check=True)

    def test_documents_find_a_machine_that_nobody_has_used(self):
        with Entered(self.used) as shell:
            self.assertEqual(shell.run(f"ls {STATE} /run/gpu-platform 2>/dev/null")[1].strip(), "")
            self.assertIn("job-1", serve_and_run(shell, "echo a first job"))
        self.assertTrue((self.used / STATE[1:] / "journal.db").exists(), "what was there stays")

    def test_an_agent_sets_logs_of_a_lower_layer_aside(self):
        self.plant(self.used / STATE[1:], "/opt/state")
        for lost in ("journal.db", "journal.db-wal", "journal.db.mark"):  # so that another journal begins
            (self.used / "opt/state" / lost).unlink(missing_ok=True)
        with Entered(self.used) as shell:
            serve_and_run(shell, "echo a second job", "--state /opt/state")
            lost = [line for line in shell.output.splitlines() if "connection lost" in line]
            self.assertTrue(all("attempts of another journal" in line for line in lost), lost)  # which it ends, and joins again
            code, aside = shell.run("cat /opt/state/agent-0/logs-*/job-0001/1/0.out")
            self.assertEqual((code, aside.strip()), (0, "a first job"))
            self.assertEqual(shell.run("cat /opt/state/agent-0/logs/job-0001/1/0.out")[1].strip(), "a second job")


class Entered:
    """A shell of the documents, and all that it starts."""

    def __init__(self, used=None):
        self.used = used

    def __enter__(self):
        self.sandbox = Sandbox(f"gp-used-{os.getpid()}")
        self.shell = Shell(str(ROOT), binary, self.sandbox.place("shell"), used=self.used and str(self.used))
        return self.shell

    def __exit__(self, *_):
        self.shell.kill()
        self.sandbox.close()
        self.shell.close()


def serve_and_run(shell, command, flags=""):
    """What was written by a controller with one simulated node, and by one job on it."""
    before = len(shell.output)
    shell.run(f"gpu-platform serve --simulate dgx-h100:1 {flags}")
    for step in (f"gpu-platform run --gpus 1 -- {command}", "kill %1; wait %1"):
        code, text = shell.run(step)
        if code != 0:
            raise AssertionError(f"{step}: {code}\n{text}\n{shell.output[before:]}")
    return shell.output[before:]


def main():
    global binary
    arguments = sys.argv[1:]
    at = arguments.index("--binary")
    binary = reachable(arguments[at + 1])
    del arguments[at:at + 2]
    if os.geteuid() != 0:
        sys.stderr.write("SKIPPED: these tests need root: they run commands in a copy of the file system\n")
        sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)


if __name__ == "__main__":
    main()
