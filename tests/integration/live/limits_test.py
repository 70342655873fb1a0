#!/usr/bin/python3
"""Time limits that change, nodes out of use for a time, rules that change while the controller runs, output that makes room."""

import os
import time

from live_platform import ClusterTest, eventually, main

USAGE, CONFLICT, DENIED = 2, 4, 5


class Limits(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 2, "policy": "reserve_after: 1s\n", "agent_flags": ("--keep-logs", "3s")}

    def setUp(self):
        super().setUp()
        self.ana = self.cli.as_user(12_345)

    def detail(self, job):
        return self.cli.job(job)["detail"]

    def test_a_job_may_run_longer_unless_others_wait(self):
        job = self.ana.start("--gpus", "8", "--nodes", "2", "--time-limit", "8s", "--grace", "1s", command=["sleep", "14"])
        eventually(lambda: self.detail(job) == "RUNNING", "it runs")
        self.assertIn("may run for 1h", self.ana("jobs", "extend", job, "--to", "1h").ok().err)
        self.assertEqual(self.ana("jobs", "extend", job, "--by", "30m", "-o", "json").ok().json["spec"]["time_limit_ms"], 90 * 60_000)
        waits = self.cli.start("--gpus", "8", command=["true"])
        time.sleep(1.5)
        refused = self.ana("jobs", "extend", job, "--by", "1h")
        self.assertEqual(refused.code, CONFLICT, refused)
        self.assertIn(f"{waits} waits in pool default for more than 1s", refused.err)
        self.assertEqual(self.ana("jobs", "extend", job, "--by", "1h", "--force").code, DENIED)
        self.cli("jobs", "extend", job, "--by", "1h", "--force").ok()
        self.assertEqual(self.ana("jobs", "extend", job).code, USAGE)
        self.cli.wait(job)
        self.assertEqual(self.detail(job), "COMPLETED", "longer than it asked for at first")
        self.assertEqual(self.cli("jobs", "extend", job, "--by", "1h").code, CONFLICT)
        stranger = self.cli.as_user(12_346)
        self.assertNotEqual(stranger("jobs", "extend", waits, "--to", "1h").code, 0)

    def test_who_is_in_the_way_of_maintenance_leaves_in_time(self):
        job = self.cli.start("--gpus", "1", "--grace", "1s", command=["sleep", "300"])
        eventually(lambda: self.detail(job) == "RUNNING", "it runs")
        [place] = self.cli.job(job)["places"]
        node = place.split("[")[0]
        self.cli("reservations", "create", "fw", "--maintenance", "--nodes", node, "--start", "+14s", "--duration", "20s").ok()
        self.assertIn("maintenance", self.cli("reservations", "list").ok().out)
        self.assertEqual(self.detail(job), "RUNNING", "there is time yet")
        eventually(lambda: self.cli.job(job).get("attempt") == 2 and self.detail(job) == "RUNNING", lambda: str(self.cli.job(job)), timeout=60)
        self.assertNotIn(node, self.cli.job(job)["places"][0])
        self.assertEqual(self.cli.job(job)["attempts"][0]["end_class"], "drained")
        eventually(lambda: not self.cli.json("reservations", "list").get("reservations"), "it is over", timeout=60)

    def test_rules_change_while_it_runs(self):
        path = os.path.join(self.cluster.directory, "policy.yaml")
        self.assertIn("nothing has changed", self.cli("config", "reload").ok().err)
        with open(path, "w", encoding="utf-8") as file:
            file.write("reserve_after: 7m\nclass_floor: 11\nprices: {currency: EUR, rules: [{per_gpu_hour: 2}]}\n")
        self.assertEqual(self.cli("config", "reload").ok().out.splitlines(), ["reserve_after: 1s -> 7m", "class_floor: 5 -> 11", "prices"])
        self.assertIn("class_floor: 5 -> 11; prices", self.cli("audit", "list", "-o", "json").ok().out)
        self.assertIn("reserve_after: 7m", self.cli("config", "running").ok().out)
        self.assertEqual(self.cli("config", "reload", "-o", "json").ok().json.get("changes", []), [])
        with open(path, "w", encoding="utf-8") as file:
            file.write("reserve_after: 7m\nclas_floor: 12\n")
        wrong = self.cli("config", "reload")
        self.assertEqual(wrong.code, USAGE, wrong)
        self.assertIn('policy.yaml:2:1', wrong.err)
        self.assertIn("class_floor: 11", self.cli("config", "running").ok().out)
        self.assertEqual(self.ana("config", "reload").code, DENIED)
        self.assertIn("ReloadConfig", self.cli("audit", "list", "-o", "json").ok().out)

    def test_old_output_makes_room(self):
        lasting = self.cli.start("--gpus", "1", command=["sh", "-c", "echo begun; sleep 25"])
        ended = self.cli.start("--gpus", "1", command=["echo", "done"])
        self.cli.wait(ended)
        self.assertEqual(self.cli("jobs", "logs", ended).ok().out, "done\n")
        kept = self.cluster.jobs_with_output
        eventually(lambda: ended not in kept(), lambda: str(kept()), timeout=30)
        self.assertIn(lasting, kept(), "it runs, though it says nothing")
        self.cli.wait(lasting)


if __name__ == "__main__":
    main()
