#!/usr/bin/python3
"""Why a job waits, and what would start it: what is suggested is true on a real controller."""

from datetime import datetime, timedelta, timezone

from live_platform import ClusterTest, eventually, main


class Explain(ClusterTest):
    def explain(self, job):
        return self.cli("jobs", "explain", job, "-o", "json").json

    def running(self, job):
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", f"{job} runs")

    def test_a_waiting_job_is_explained_and_the_changes_are_true(self):
        first = self.cli.start("--gpus", "5", "--time-limit", "1h", command=["sleep", "60"])
        self.running(first)
        job = self.cli.start("--gpus", "4", command=["sleep", "60"])
        told = self.explain(job)
        self.assertFalse(told["starts_now"])
        self.assertEqual(told["reasons"][0]["kind"], "capacity")
        changes = {change["kind"]: change for change in told["changes"]}
        self.assertEqual(changes["fewer-gpus"]["spec"]["gpus"]["count"], 3)
        self.assertEqual(changes["wait"]["waits_for"], [first])
        self.assertTrue(changes["wait"]["starts_by"])
        smaller = self.cli.start("--gpus", "3", "--time-limit", "30m", command=["sleep", "60"])  # over when the job starts
        self.running(smaller)
        self.cli("jobs", "cancel", smaller).ok()
        self.cli("jobs", "cancel", first).ok()
        self.running(job)
        refused = self.cli("jobs", "explain", job)
        self.assertNotEqual(refused.code, 0)
        self.assertIn("RUNNING", refused.err)
        self.cli("jobs", "cancel", job).ok()

    def test_a_plan_submits_nothing(self):
        plan = self.cli("run", "--gpus", "2", "--plan", "-o", "json", "--", "true").json
        self.assertTrue(plan["starts_now"])
        self.assertIn("best of", plan["placement"])
        text = self.cli("run", "--gpus", "9", "--plan", "--", "true").ok().out
        self.assertIn("no-such-hardware", text)
        self.assertIn("gpus: 8 instead of 9", text)
        self.assertEqual(self.cli("jobs", "list", "--all", "-o", "json").json.get("jobs", []), [])

    def test_a_start_is_expected_from_time_limits(self):
        first = self.cli.start("--gpus", "8", "--time-limit", "1h", command=["sleep", "60"])
        self.running(first)
        job = self.cli.start("--gpus", "8", "--time-limit", "30m", command=["sleep", "60"])
        told = self.explain(job)
        placed = self.cli.job(first)["attempts"][0]["placed_at"]
        hour_later = datetime.fromisoformat(placed) + timedelta(hours=1)
        self.assertEqual(told["forecast"]["earliest"], told["forecast"]["latest"])
        self.assertLess(abs(datetime.fromisoformat(told["forecast"]["median"]) - hour_later), timedelta(seconds=2))
        self.assertAlmostEqual(told["cost"]["gpu_hours_high"], 4.0)
        # Behind both: 30 minutes more.
        plan = self.cli("run", "--gpus", "8", "--plan", "-o", "json", "--", "true").json
        self.assertLess(abs(datetime.fromisoformat(plan["forecast"]["median"]) - hour_later - timedelta(minutes=30)), timedelta(seconds=2))
        self.assertIn("not known", plan["cost"]["text"])
        self.cli("jobs", "cancel", job, first).ok()

    def test_a_start_is_expected_from_those_who_finished(self):
        for _ in range(5):
            self.cli("run", "--gpus", "8", "--name", "short", "--", "sleep", "0.2").ok()
        first = self.cli.start("--gpus", "8", "--name", "short", command=["sleep", "60"])
        self.running(first)
        job = self.cli.start("--gpus", "8", "--name", "short", command=["sleep", "60"])
        told = self.explain(job)["forecast"]
        self.assertEqual(told["alike"], 5)
        self.assertLess(datetime.fromisoformat(told["median"]) - datetime.now(timezone.utc), timedelta(minutes=1))
        self.assertIn("from 5 finished jobs like those that run", self.cli("jobs", "explain", job).ok().out)
        self.cli("jobs", "cancel", job, first).ok()

    def test_who_makes_a_start_unknowable_is_named(self):
        first = self.cli.start("--gpus", "8", command=["sleep", "60"])
        self.running(first)
        job = self.cli.start("--gpus", "1", command=["sleep", "60"])
        told = self.explain(job)["forecast"]
        self.assertEqual(told["endless"], [first])
        self.assertIsNone(told["median"])
        self.assertIn(first + " has no time limit and nothing like it has finished yet", told["text"])
        self.cli("jobs", "cancel", job, first).ok()

    def test_each_node_says_why_not_here(self):
        first = self.cli.start("--gpus", "5", command=["sleep", "60"])
        self.running(first)
        job = self.cli.start("--gpus", "4", command=["sleep", "60"])
        row = self.explain(job)["nodes"][0]
        self.assertEqual((row["gpus_free"], row["gpus"], row["fits"], row["takes_rank"]), (3, 8, 3, False))
        self.assertEqual((row["why"], row["holders"]), ("5 GPUs held", [first]))
        wide = self.cli("jobs", "explain", job, "-o", "wide").ok().out
        self.assertIn("5 GPUs held", wide)
        self.assertNotIn("5 GPUs held", self.cli("jobs", "explain", job).ok().out)
        self.cli("jobs", "cancel", job, first).ok()

    def test_a_job_that_waits_for_another_is_told_so(self):
        first = self.cli.start("--gpus", "1", "--time-limit", "1h", command=["sleep", "60"])
        self.running(first)
        plan = self.cli("run", "--gpus", "1", "--after", first, "--plan", "-o", "json", "--", "true").json
        self.assertFalse(plan["starts_now"])
        job = self.cli.start("--gpus", "1", "--after", first, command=["true"])
        told = self.explain(job)
        for one in (plan, told):
            self.assertEqual(one["reasons"][0]["kind"], "after")
            self.assertIn(first, one["reasons"][0]["text"])
            self.assertTrue(one["forecast"]["median"])
        self.cli("jobs", "cancel", job, first).ok()

    def test_specs_of_others_are_not_shown(self):
        first = self.cli.start("--gpus", "8", command=["sleep", "60"])
        self.running(first)
        job = self.cli.start("--gpus", "2", "--env", "SECRET=tell-nobody", command=["sleep", "60"])
        stranger = self.cli.as_user(12_345)
        told = stranger("jobs", "explain", job, "-o", "json").ok()
        self.assertNotIn("tell-nobody", told.out)
        self.assertEqual(told.json["reasons"][0]["kind"], "capacity")
        self.cli("jobs", "cancel", first, job).ok()


if __name__ == "__main__":
    main()
