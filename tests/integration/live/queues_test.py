#!/usr/bin/python3
"""Queues on a real controller: limits hold whoever submits at once, guarantees come back, pools keep apart.

GP_SUBMITS: how many submits at the same moment (1,000 in full).
"""

import os
import subprocess
import threading
import time

from live_platform import ClusterTest, eventually, main

SUBMITS = int(os.environ.get("GP_SUBMITS", "120"))
AT_ONCE = 24  # processes


class Queues(ClusterTest):
    options = {"serve_flags": ("--min-run", "200ms"), "machine": "dgx-h100", "nodes": 2}

    def set(self, name, *flags):
        return self.cli("queues", "set", name, *flags).ok()

    def queue(self, name):
        queues = self.cli("queues", "list", "-o", "json").json["queues"]
        return next(queue for queue in queues if queue["name"] == name)

    def start(self, queue, *flags, command=("sleep", "60")):
        return self.cli.start("--queue", queue, *flags, command=list(command))

    def state(self, job):
        return self.cli.job(job)["detail"]

    def test_limits_hold_under_parallel_submits(self):
        self.set("tight", "--limit-gpus", "5", "--limit-jobs", "4", "--user-limit-gpus", "4")
        seen, done = [], threading.Event()

        def watch():
            while not done.is_set():
                use = self.queue("tight")["use"]
                seen.append((use.get("gpus", 0), int(use.get("jobs", 0))))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            waiting = list(range(SUBMITS))
            running = []
            while waiting or running:
                running = [process for process in running if process.poll() is None]
                while waiting and len(running) < AT_ONCE:
                    gpus = 1 + waiting.pop() % 3
                    running.append(self.cli.popen("run", "-d", "-q", "--gpus", gpus, "--cpus", "1", "--memory", "64MiB", "--queue", "tight",
                                                  "--", "true", stdout=subprocess.DEVNULL))
                time.sleep(0.002)
            eventually(lambda: not self.cli.jobs(), "all jobs have ended", timeout=300)
        finally:
            done.set()
            watcher.join()
        self.assertLessEqual(max(gpus for gpus, _ in seen), 4)
        self.assertLessEqual(max(jobs for _, jobs in seen), 4)
        self.assertGreater(max(gpus for gpus, _ in seen), 0, "nobody looked in time")
        ended = self.cli("jobs", "list", "--all", "--limit", "10000", "-o", "json").json["jobs"]
        self.assertEqual(sum(job["queue"] == "tight" and job["state"] == "COMPLETED" for job in ended), SUBMITS)

    def test_a_job_over_a_limit_says_so_and_starts_when_it_is_lifted(self):
        self.set("small", "--limit-gpus", "2")
        first = self.start("small", "--gpus", "2")
        second = self.start("small", "--gpus", "1")
        eventually(lambda: self.state(first) == "RUNNING", "the first runs")
        self.assertEqual(self.cli.job(second)["reason"], "queue small has a limit of 2 GPUs: 2 in use, 1 more requested")
        never = self.cli("run", "-d", "--gpus", "3", "--queue", "small", "--", "true")
        self.assertNotEqual(never.code, 0)
        self.assertIn("can never start", never.err)
        self.set("small", "--limit-gpus", "none")
        eventually(lambda: self.state(second) == "RUNNING", "the second runs")
        for job in (first, second):
            self.cli("jobs", "cancel", job).ok()

    def described(self, job):
        """The lines of `jobs describe`, by their labels."""
        lines = self.cli("jobs", "describe", job).ok().lines
        return {line[:12].strip(): line[12:] for line in lines if line[:12].strip()}

    def test_a_job_that_waits_says_where_it_stands_and_when_it_may_start(self):
        first, second, third = [self.start("default", "--gpus", "8", "--nodes", "2", "--time-limit", "1h") for _ in range(3)]
        eventually(lambda: self.state(first) == "RUNNING", "the first runs")
        told = self.described(second)
        self.assertEqual(told["Position"], "next in its queue")
        self.assertRegex(told["Start"], r"^expected to start at \d{4}-\d\d-\d\dT\S+, if jobs run to their time limits")
        self.assertEqual(told["Next"], f"gpu-platform jobs explain {second} says what would start it sooner")
        self.assertEqual(self.described(third)["Position"], "1 job before it")
        self.assertEqual({"Position", "Start", "Next"} & set(self.described(first)), set(), "it runs")
        self.cli("jobs", "hold", third).ok()
        self.assertEqual({"Position", "Start", "Next"} & set(self.described(third)), set(), "it is held")
        self.cli("jobs", "cancel", first, second, third).ok()

    def test_a_queue_gives_its_jobs_a_time_limit(self):
        self.set("brief", "--default-time", "10m", "--max-time", "1h")
        self.assertIn("10m/1h", self.cli("queues", "list").ok().out)
        plain = self.start("brief", "--gpus", "1")
        self.assertEqual(self.cli.job(plain)["spec"]["time_limit_ms"], 600_000)
        self.assertIn("by queue brief", self.cli.job(plain)["note"])
        refused = self.cli("run", "-d", "--gpus", "1", "--queue", "brief", "--max-duration", "2h", "--", "true")
        self.assertEqual(refused.code, 2)
        self.assertIn("jobs of queue brief may run for 1h at most", refused.err)
        self.assertIn("may run for 1h at most", self.cli("jobs", "extend", plain, "--to", "2h").err)
        self.cli("jobs", "extend", plain, "--to", "2h", "--force").ok()
        self.cli("jobs", "cancel", plain).ok()

    def test_what_is_guaranteed_comes_back(self):
        self.set("owner", "--guaranteed", "8")
        self.set("guest")
        loans = [self.start("guest", "--gpus", "8", "--preemptible") for _ in range(2)]
        eventually(lambda: all(self.state(job) == "RUNNING" for job in loans), "both nodes are lent")
        firm = self.start("guest", "--gpus", "8", "--nodes", "2", "--priority", "1000")
        self.assertIn("--preemptible to borrow idle GPUs", self.cli.job(firm)["reason"])
        self.assertEqual(self.cli.job(firm)["reason_code"], "QuotaNonPreemptible")
        mine = self.start("owner", "--gpus", "8")
        eventually(lambda: self.state(mine) == "RUNNING", "the owner has its node back")
        self.assertEqual(sorted(self.state(job) for job in loans), ["QUEUED", "RUNNING"])
        self.cli("jobs", "cancel", mine, firm, *loans).ok()

    def test_pools_and_labels_keep_apart(self):
        self.cli("nodes", "pool", "dgx-h100-1", "prod").ok()
        pools = self.cli("pools").ok().out
        self.assertIn("prod", pools)
        self.assertEqual(self.cli("pools", "list").ok().out, pools)
        self.assertEqual(self.cli("pools", "list", "-o", "json").json, self.cli("pools", "-o", "json").json)
        self.set("live", "--pool", "prod")
        there = self.start("live", "--gpus", "1")
        eventually(lambda: self.state(there) == "RUNNING", "the job of the pool runs")
        self.assertTrue(self.cli.job(there)["places"][0].startswith("dgx-h100-1"))
        labelled = self.start("default", "--gpus", "1", "--node-label", "zone=east", "--wait-for-nodes")
        self.assertIn("zone=east", self.cli.job(labelled)["reason"])
        self.cli("nodes", "label", "dgx-h100-0", "zone=east").ok()
        eventually(lambda: self.state(labelled) == "RUNNING", "the label is there")
        self.assertNotEqual(self.cli("queues", "delete", "live").code, 0)
        self.cli("jobs", "cancel", there, labelled).ok()
        eventually(lambda: not self.cli.jobs(), "both have ended")
        self.cli("queues", "delete", "live").ok()
        self.cli("nodes", "pool", "dgx-h100-1", "default").ok()

    def test_only_admins_change_queues_and_raise_priorities(self):
        ana = self.cli.as_user(12_345)
        refused = ana("queues", "set", "mine")
        self.assertNotEqual(refused.code, 0)
        self.assertIn("role admin", refused.err)
        job = ana.start("--gpus", "0", command=["sleep", "60"])
        self.assertNotEqual(ana("jobs", "priority", job, "900").code, 0)
        ana("jobs", "priority", job, "100").ok()
        self.cli("jobs", "priority", job, "900").ok()
        self.assertEqual(self.cli.job(job)["spec"]["priority"], 900)
        ana("jobs", "cancel", job).ok()


if __name__ == "__main__":
    main()
