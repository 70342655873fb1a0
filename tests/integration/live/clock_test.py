#!/usr/bin/python3
"""The wall clock of a controller and its agent is set forward and back: elapsed time goes on, and nobody pays for it."""

import os
import struct
import time

from live_platform import ClusterTest, eventually, main

HOUR = 3600


class SteppedClock(ClusterTest):
    options = {"nodes": 1}

    def setUp(self):
        super().setUp()
        self.off = os.path.join(self.cluster.directory, "off")
        with open(self.off, "wb") as file:
            file.write(struct.pack("=q", 0))
        # From here on by a clock that can be set.
        for daemon in [self.cluster.agents[0], self.cluster.controller]:
            daemon.stop()
            daemon.words = ["/usr/bin/env", f"LD_PRELOAD={os.environ['GP_WALL_CLOCK']}", f"WALL_CLOCK_OFF={self.off}", *daemon.words]
        self.cluster.start_controller()
        self.cluster.agents[0].start()
        self.cluster.await_gpus()

    def set_clock(self, hours):
        """In place: the programs have the file mapped."""
        with open(self.off, "r+b") as file:
            file.write(struct.pack("=q", int(hours * HOUR * 1e9)))
        time.sleep(1)  # several turns of the controller


class Jobs(SteppedClock):
    def test_a_job_runs_on_and_costs_what_it_had(self):
        job = self.cli.start("--gpus", "1", "--time-limit", "1h", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", "it runs")
        for hours in (2, -10, 10, 0):
            self.set_clock(hours)
            seen = self.cli.job(job)
            self.assertEqual((seen["detail"], seen["attempt"]), ("RUNNING", 1), hours)
            self.assertLess(seen["use"]["gpu_hours"], 0.02, hours)
            self.assertLess(seen["run_seconds"], 120, hours)
        self.assertIn("the wall clock was stepped by", self.cluster.controller.text())
        self.assertNotIn("LOST", [gpu["detail"] for _, gpu in self.cli.gpus()])

    def test_what_comes_after_a_step_takes_as_long_as_it_takes(self):
        self.set_clock(2)
        job = self.cli.start("--gpus", "1", command=["true"])
        self.cli.wait(job)
        seen = self.cli.job(job)
        self.assertEqual(seen["state"], "COMPLETED")
        self.assertTrue(0 <= seen["wait_seconds"] < 60 and 0 <= seen["run_seconds"] < 60, seen)
        # Shown times are those of the clock on the wall.
        shown = time.mktime(time.strptime(seen["submitted_at"][:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone
        self.assertLess(abs(shown - time.time() - 2 * HOUR), 60)

    def test_a_restart_asks_no_wall_clock(self):
        job = self.cli.start("--gpus", "1", "--time-limit", "1h", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", "it runs")
        self.cluster.controller.kill()
        self.set_clock(5)
        self.cluster.start_controller()
        eventually(lambda: self.cluster.node_state(self.cluster.node_names()[0]) == "UP", "its node is back")
        time.sleep(1)
        seen = self.assert_job(job, detail="RUNNING", attempt=1)
        self.assertLess(seen["use"]["gpu_hours"], 0.02)

    def test_a_controller_that_was_stopped_loses_no_node(self):
        job = self.cli.start("--gpus", "1", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", "it runs")
        self.cluster.controller.pause()
        time.sleep(15)
        self.cluster.controller.resume()
        time.sleep(2)
        self.assertNotIn("LOST", [gpu["detail"] for _, gpu in self.cli.gpus()])
        self.assert_job(job, detail="RUNNING", attempt=1)


class Output(SteppedClock):
    KEEP = 30
    options = {"nodes": 1, "agent_flags": ("--keep-logs", f"{KEEP}s")}  # the agent looks each 3 s

    def test_output_is_kept_for_as_long_as_was_said(self):
        began = time.monotonic()
        job = self.cli.start(command=["echo", "done"])
        self.cli.wait(job)
        for hours in (2, -2, 10, 0):
            self.set_clock(hours)
            time.sleep(3)
            kept = self.cluster.jobs_with_output()
            if time.monotonic() - began < self.KEEP:
                self.assertIn(job, kept, hours)
        self.cluster.agents[0].stop()  # which counts on where it was
        self.set_clock(20)
        self.cluster.agents[0].start()
        eventually(lambda: job not in self.cluster.jobs_with_output(), "it makes room", timeout=90)
        self.assertGreaterEqual(time.monotonic() - began, self.KEEP)


if __name__ == "__main__":
    main()
