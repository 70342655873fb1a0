#!/usr/bin/python3
"""Hundreds of nodes that a controller plays itself: no agents, no processes of jobs."""

import os
import shutil
import subprocess
import tempfile
import unittest

import live_platform.case
from live_platform import Cli, eventually, main

NODES = 300


class Light(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="gp-test-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, self.directory)
        run = os.path.join(self.directory, "run")
        self.controller = subprocess.Popen(
            [live_platform.case.binary, "serve", "-q", "--state", os.path.join(self.directory, "state"), "--run-dir", run,
             "--simulate", f"dgx-h100:{NODES}", "--light"])
        self.addCleanup(self.controller.wait)
        self.addCleanup(self.controller.terminate)
        self.cli = Cli(live_platform.case.binary, run)
        eventually(lambda: os.path.exists(os.path.join(run, "http.sock")), "the controller runs")
        eventually(lambda: sum(gpu["state"] == "AVAILABLE" for _, gpu in self.cli.gpus()) == 8 * NODES, "all GPUs are there")

    def test_a_job_lasts_as_long_as_it_sleeps(self):
        gang = self.cli.start("--nodes", "100", "--gpus", "8", command=["sleep", "3"])
        short = self.cli.start("--gpus", "1", command=["true"])
        eventually(lambda: self.cli.job(short)["state"] == "COMPLETED", "it ends at once")
        self.assertEqual(self.cli.job(gang)["detail"], "RUNNING")
        eventually(lambda: self.cli.job(gang)["state"] == "COMPLETED", "it slept")

    def test_a_job_is_cancelled(self):
        job = self.cli.start("--gpus", "1", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", "it runs")
        self.cli("jobs", "cancel", job).ok()
        eventually(lambda: self.cli.job(job)["state"] == "CANCELLED", "it ends")

    def test_nodes_without_the_care_for_images_are_named_with_the_reason(self):
        for verb in ("verify", "prune"):
            told = self.cli("images", verb, "--nodes", "dgx-h100-1,dgx-h100-7")
            self.assertEqual(told.code, 10, f"{told}")
            self.assertEqual(sorted(line.split()[0] for line in told.lines), ["dgx-h100-1", "dgx-h100-7"])
            for line in told.lines:
                self.assertRegex(line, "^dgx-h100-[17] – its agent does not offer this \\(feature image-care\\)")

    def test_there_are_no_agents(self):
        children = subprocess.run(["pgrep", "-P", str(self.controller.pid)], capture_output=True, text=True, check=False).stdout
        self.assertEqual(children, "")


if __name__ == "__main__":
    main()
