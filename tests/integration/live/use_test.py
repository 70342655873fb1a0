#!/usr/bin/python3
"""What jobs do with their GPUs is measured, told, and has consequences."""

import os

from live_platform import ClusterTest, eventually, main

POLICY = """
under_use:
  medium: {below: 20, warn: 2s, stop: 12s}
  interactive: {warn: 1h}
"""


class Use(ClusterTest):
    options = {"machine": "dgx-h100", "policy": POLICY}

    def make_busy(self, gpu, percent):
        """The driver says so from now on."""
        with open(os.path.join(self.cluster.agent_state(0), "faults"), "a", encoding="utf-8") as file:
            file.write(f"utilization gpu={gpu} percent={percent}\nmemory gpu={gpu} used_mib=2048\n")

    def report(self, job):
        return self.cli("jobs", "report", job, "-o", "json").ok().json

    def test_idle_jobs_are_told_held_and_ended_and_busy_ones_go_on(self):
        burn = ["sh", "-c", "end=$(($(date +%s) + 120)); while [ $(date +%s) -lt $end ]; do :; done"]
        busy = self.cli.start("--gpus", "2", "--memory", "4GiB", command=burn)
        eventually(lambda: self.cli.job(busy)["detail"] == "RUNNING", "it runs")
        gpus = self.cli.job(busy)["attempts"][0]["ranks"][0]["gpus"]
        for gpu in gpus:
            self.make_busy(gpu, 80)
        keeps = self.cli.start("--gpus", "1", "--preemptible", "--grace", "1s", command=["sleep", "300"])
        loses = self.cli.start("--gpus", "1", "--grace", "1s", command=["sleep", "300"])
        shared = self.cli.start("--gpus", "1", "--share", "0.5", "--isolation", "timeslice", command=["sleep", "300"])
        short = self.cli.start("--gpus", "1", command=["true"])
        self.cli.wait(short)
        self.assertIsNone(self.report(short)["gpu_busy"], "too short to be known, which is not zero")
        self.assertIn("---", self.cli("jobs", "report", short).ok().out)
        eventually(lambda: self.cli.job(keeps)["detail"] == "HELD", lambda: str(self.cli.job(keeps)), timeout=90)
        eventually(lambda: self.cli.job(loses)["detail"] == "CANCELLED", lambda: str(self.cli.job(loses)), timeout=90)
        held, ended = self.cli.job(keeps), self.cli.job(loses)
        self.assertIn("less than 20 % of the last", held["reason"])
        self.assertEqual(ended["attempts"][-1]["end_class"], "under-use")
        self.assertEqual(ended["attempts"][-1]["charged_to"], "user")
        self.assertEqual(self.cli.job(shared)["detail"], "RUNNING", "of a part nothing is known")
        self.assertEqual(self.cli.job(busy)["detail"], "RUNNING")
        idle = self.report(loses)
        self.assertEqual(idle["gpu_busy"], 0)
        self.assertGreater(idle["gpu_measured"], 0.5)

        def is_seen():
            seen = self.report(busy)
            return (seen["gpu_busy"] or 0) > 0.6 and seen["memory_used"] is not None and (seen["ranks"][0]["cores_used"] or 0) > 0.2
        eventually(is_seen, lambda: str(self.report(busy)), timeout=60)
        seen = self.report(busy)
        self.assertEqual([gpu["index"] for gpu in seen["ranks"][0]["gpus"]], gpus)
        self.assertEqual(seen["ranks"][0]["gpus"][0]["memory_bytes_max"], 2048 << 20)
        self.assertLess(seen["idle_seconds"], 1)
        self.assertIn("it is stopped", seen["idle_rule"])
        # What was measured outlives the agent and the controller.
        before = self.report(busy)["ranks"][0]["gpus"][0]["measured_seconds"]
        self.cluster.agents[0].kill()
        self.cluster.agents[0].start()
        self.cluster.controller.kill()
        self.cluster.start_controller()
        self.cluster.await_gpus()
        eventually(lambda: self.report(busy)["ranks"][0]["gpus"][0]["measured_seconds"] > before + 8, lambda: str(self.report(busy)), timeout=60)
        self.cli("jobs", "release", keeps).ok()
        eventually(lambda: self.cli.job(keeps)["detail"] == "RUNNING", "a person lets it go on")
        self.assertEqual(self.cli("jobs", "report", busy, "-o", "csv").ok().out.count("\n"), 3, "a head and two GPUs")
        self.assertEqual(self.cli("jobs", "report", "job-9999").code, 3)
        stranger = self.cli.as_user(12_345)
        self.assertIn("busy", stranger("jobs", "report", busy, "-o", "json").ok().out, "who may see a job may see this")


if __name__ == "__main__":
    main()
