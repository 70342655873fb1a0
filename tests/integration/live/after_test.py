#!/usr/bin/python3
"""Jobs that wait for what others come to, on a real controller."""

from live_platform import ClusterTest, eventually, main


class After(ClusterTest):
    def state(self, job):
        return self.cli.job(job)["detail"]

    def test_a_chain_runs_in_order_and_a_failure_stops_it(self):
        prep = self.cli.start("--gpus", "1", command=["sleep", "1"])
        train = self.cli.start("--gpus", "1", "--after", prep, command=["false"])
        report = self.cli.start("--gpus", "1", "--after", f"{train},{prep}:ended", command=["true"])
        clean = self.cli.start("--gpus", "1", "--after", f"{train}:ended", command=["true"])
        self.assertEqual([self.state(job) for job in (train, report, clean)], ["BLOCKED"] * 3)
        self.assertIn(f"waits for {prep} to complete", self.cli("jobs", "list").ok().out)
        told = self.cli("jobs", "explain", train).ok().out
        self.assertIn(f"waits for {prep} to complete", told)
        self.assertNotIn("What would start it now", told)
        eventually(lambda: [self.state(job) for job in (prep, train, report, clean)] == ["COMPLETED", "FAILED", "CANCELLED", "COMPLETED"], "the chain ends")
        self.assertIn(f"{train} FAILED, and was to complete first", self.cli.job(report)["reason"])
        started = {job: self.cli.job(job)["attempts"][0]["started_at"] for job in (prep, train, clean)}
        self.assertLess(started[prep], started[train])
        self.assertLess(started[train], started[clean])

    def test_what_can_never_be_is_refused(self):
        failed = self.cli.start("--gpus", "1", command=["false"])
        eventually(lambda: self.state(failed) == "FAILED", "it fails")
        refused = self.cli("run", "-d", "--after", failed, "--", "true")
        self.assertNotEqual(refused.code, 0)
        self.assertIn("was to complete first", refused.err)
        self.assertIn("names no job", self.cli("run", "-d", "--after", "the last", "--", "true").err)
        self.assertIn("is not known", self.cli("run", "-d", "--after", "job-zzzz", "--", "true").err)
        waits = self.cli.start("--gpus", "8", command=["sleep", "60"])
        blocked = self.cli.start("--gpus", "1", "--after", f"{waits}:failed", command=["true"])
        self.cli("jobs", "cancel", blocked).ok()
        self.assertEqual(self.state(blocked), "CANCELLED")
        self.cli("jobs", "cancel", waits).ok()


if __name__ == "__main__":
    main()
