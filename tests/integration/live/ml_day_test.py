#!/usr/bin/python3
"""The ML day of examples/ml_day: it passes its checks, notices what is wrong, and leaves nothing behind."""

import itertools
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from live_platform import case, eventually, main
from live_platform.sandbox import Sandbox

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = "examples/ml_day/ml_day.py"
numbers = itertools.count(1)


class MlDay(unittest.TestCase):
    def setUp(self):
        self.before = self.directories()
        self.sandbox = Sandbox(f"gp-ml-day-{os.getpid()}-{next(numbers)}")
        self.addCleanup(self.sandbox.close)

    def tearDown(self):
        self.assertEqual(self.directories() - self.before, set())
        eventually(lambda: not self.sandbox.processes(), lambda: f"all processes end: {self.sandbox.processes()}")
        self.assertEqual(self.sandbox.agent_roots(), [])

    @staticmethod
    def directories():
        return set(pathlib.Path("/var/tmp").glob("gp-ml-day.*"))

    def start(self, *words):
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
                                   preexec_fn=self.sandbox.place("day"))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        return process

    def test_all_checks_pass(self):
        process = self.start(sys.executable, "-B", str(ROOT / SCRIPT), "--binary", case.binary)
        said, _ = process.communicate(timeout=180)
        self.assertEqual(process.returncode, 0, said)
        self.assertRegex(said, r"\nall \d+ checks passed\n$")
        self.assertNotIn("✗", said)

    def test_what_is_wrong_is_said(self):
        with tempfile.TemporaryDirectory(prefix="gp-examples-", dir="/var/tmp") as place:
            shutil.copytree(ROOT / "examples/ml_day", f"{place}/examples/ml_day", ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copytree(ROOT / "clients/python/gpu_platform", f"{place}/clients/python/gpu_platform", ignore=shutil.ignore_patterns("__pycache__"))
            program = pathlib.Path(place, "examples/ml_day/train.py")
            program.write_text(program.read_text().replace("    rank, ranks = ", "    sys.exit('it does not want to')\n    rank, ranks = "))
            process = self.start(sys.executable, "-B", f"{place}/{SCRIPT}", "--binary", case.binary)
            said, _ = process.communicate(timeout=180)
        self.assertEqual(process.returncode, 1, said)
        self.assertRegex(said, r"checks passed, but:\n +job-1 is PENDING")
        self.assertIn("it does not want to", said)

    def test_the_demo_runs_it_and_an_interrupt_ends_all(self):
        process = self.start(case.binary, "demo", "--ml", "--examples", str(ROOT / "examples"))
        said = ""
        while "have the image" not in said:
            line = process.stdout.readline()
            self.assertTrue(line, f"it ended: {said}")
            said += line
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, rest)
        self.assertIn("interrupted; all that was started has ended", rest)

    def test_examples_that_are_not_there(self):
        process = self.start(case.binary, "demo", "--ml", "--examples", "/nonexistent")
        said, _ = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("no /nonexistent/ml_day/ml_day.py", said)


if __name__ == "__main__":
    main()
