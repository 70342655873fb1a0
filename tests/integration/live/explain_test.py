#!/usr/bin/python3
"""Why a job waits, and what would start it: what is suggested is true on a real controller."""

from live_platform import ClusterTest, eventually, main


class Explain(ClusterTest):
    def explain(self, job):
        return self.cli("jobs", "explain", job, "-o", "json").json

    def running(self, job):
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", f"{job} runs")

    def test_a_waiting_job_is_explained_and_the_changes_are_true(self):
        first = self.cli.start("--gpus", "5", "--max-duration", "1h", command=["sleep", "60"])
        self.running(first)
        job = self.cli.start("--gpus", "4", command=["sleep", "60"])
        told = self.explain(job)
        self.assertFalse(told["starts_now"])
        self.assertEqual(told["reasons"][0]["kind"], "capacity")
        changes = {change["kind"]: change for change in told["changes"]}
        self.assertEqual(changes["fewer-gpus"]["spec"]["gpus"]["count"], 3)
        self.assertEqual(changes["wait"]["waits_for"], [first])
        self.assertTrue(changes["wait"]["starts_by"])
        smaller = self.cli.start("--gpus", "3", command=["sleep", "60"])
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
