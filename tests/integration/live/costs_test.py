#!/usr/bin/python3
"""Where the time of GPUs goes on a real controller, what it costs, and what budgets let in."""

import csv
import io

from live_platform import ClusterTest, eventually, main

POLICY = """\
prices:
  currency: EUR
  rules:
    - {model: H100, per_gpu_hour: 3600}
"""  # one euro a second


class Costs(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 1, "policy": POLICY}

    def setUp(self):
        super().setUp()
        self.cli("queues", "set", "research").ok()

    def usage(self, *flags):
        return self.cli("usage", *flags, "-o", "json").json

    def test_what_jobs_had_and_all_that_was_there(self):
        job = self.cli.start("--gpus", "4", "--queue", "research", command=["sleep", "2"])
        eventually(lambda: self.cli.job(job)["state"] == "COMPLETED", "the job is over")
        use = self.cli.job(job)["use"]
        self.assertGreater(use["gpu_hours"] * 3600, 4 * 2)
        self.assertAlmostEqual(use["cost"], use["gpu_hours"] * 3600, places=6)
        self.assertEqual(use["currency"], "EUR")
        of_jobs = [row for row in self.usage("--by", "queue,user")["rows"] if row["kind"] == "jobs"]
        self.assertEqual([(row["queue"], row["user"]) for row in of_jobs], [("research", "root")])
        self.assertAlmostEqual(of_jobs[0]["gpu_hours"], use["gpu_hours"], places=9)
        self.assertAlmostEqual(of_jobs[0]["cost"], use["cost"], places=6)
        all_kinds = self.usage()
        self.assertAlmostEqual(sum(row["gpu_hours"] for row in all_kinds["rows"]), all_kinds["gpu_hours"], places=9)
        self.assertAlmostEqual(sum(row["part"] for row in all_kinds["rows"]), 1, places=9)
        idle = next(row for row in all_kinds["rows"] if row["kind"] == "idle")
        self.assertGreater(idle["gpu_hours"], 0)
        self.assertIn("GPU-hours", self.cli("jobs", "describe", job).ok().out)
        [header, line] = list(csv.reader(io.StringIO(self.cli("cost", "report", "-q", "-o", "csv").ok().out)))
        self.assertEqual((header[:2], line[:2]), (["QUEUE", "USER"], ["research", "root"]))
        [header, line] = list(csv.reader(io.StringIO(self.cli("cost", "report", "--by", "user,model", "-q", "-o", "csv").ok().out)))
        self.assertEqual((header, line[:2]), (["USER", "MODEL", "GPU-HOURS", "COST"], ["root", "NVIDIA H100 80GB HBM3"]))
        self.assertIn("could have been granted whole", self.cli("cost", "analysis").ok().out)

    def test_what_is_drained_is_maintained(self):
        self.cli("drain", "--gpu-id", "dgx-h100-0/0", "--reason", "test").ok()
        eventually(lambda: any(row["kind"] == "maintained" for row in self.usage()["rows"]), "it is no longer idle")

    def test_a_budget_that_holds_interrupts_and_lets_go_on(self):
        self.cli("queues", "set", "held").ok()
        self.cli("budget", "set", "--queue", "held", "--money", "1", "--over", "hold").ok()
        job = self.cli.start("--gpus", "2", "--queue", "held", command=["sleep", "60"])
        eventually(lambda: self.cli.job(job)["reason_code"] == "BudgetUsedUp", lambda: f"it waits: {self.cli.job(job)}")
        self.assertEqual(self.cli.job(job)["attempts"][-1]["end_class"], "budget")
        late = self.cli.start("--gpus", "1", "--queue", "held", command=["true"])
        self.assertIn("the budget of queue held for this month is used up", self.cli("jobs", "list").ok().out + self.cli("jobs", "explain", late).ok().out)
        self.cli("budget", "set", "--queue", "held", "--money", "1000").ok()
        eventually(lambda: self.cli.job(job)["attempt"] == 2, "it goes on")
        self.assertEqual(self.cli.wait(late), 0)

    def test_a_budget_that_is_used_up_lets_nobody_in(self):
        self.cli("budget", "set", "--queue", "research", "--money", "1", "--over", "refuse").ok()
        job = self.cli.start("--gpus", "8", "--queue", "research", command=["sleep", "60"])
        eventually(lambda: self.cli("budget", "list", "-o", "json").json["budgets"][0]["standings"][0]["used_up"], "a euro is soon gone")
        self.assertTrue(self.cli("budget", "list", "-o", "json").json["budgets"][0]["standings"][0]["too_early"])
        [header, line] = list(csv.reader(io.StringIO(self.cli("budget", "list", "-q", "-o", "csv").ok().out)))
        self.assertEqual(dict(zip(header, line))["EXPECTED"], "", "minutes say nothing of a month")
        self.assertGreater(float(dict(zip(header, line))["GPU-HOURS"]), 0, "little is not nothing")
        refused = self.cli("run", "-d", "--gpus", "1", "--queue", "research", "--", "true")
        self.assertEqual(refused.code, 4, refused)
        self.assertIn("the budget of queue research for this month is used up", refused.err)
        self.assertEqual(self.cli.job(job)["state"], "RUNNING", "what runs goes on")
        self.cli("budget", "set", "--queue", "research", "--over", "demote").ok()
        demoted = self.cli.start("--gpus", "8", "--queue", "research", command=["true"])
        self.assertEqual(self.cli.job(demoted)["spec"]["priority"], 0)
        self.assertIn("100.0%", self.cli("usage", "--queue", "research").ok().out)
        self.cli("budget", "delete", "--queue", "research").ok()
        self.assertEqual(self.cli("budget", "list", "-o", "json").json.get("budgets", []), [])

    def test_bad_questions_are_refused(self):
        for flags, told in [(("--from", "2026-13-01"), "from: \"2026-13-01\" is no day such as 2026-11-01"), (("--from", "2026-02-02", "--until", "2026-02-01"), "comes after"),
                            (("--queue", "nowhere"), "queue: there is no queue nowhere"), (("--by", "colour"), "colour")]:
            answer = self.cli("usage", *flags)
            self.assertIn(answer.code, (2, 3), answer)
            self.assertIn(told, answer.err)
        self.assertIn("after 30.03 months (2.50 years)", self.cli("cost", "break-even", "--purchase", "380000", "--own-monthly", "9593", "--rented-monthly", "22246").ok().out)


class WithoutPrices(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 1}

    def test_nothing_costs_anything_and_that_is_said(self):
        job = self.cli.start("--gpus", "1", command=["true"])
        eventually(lambda: self.cli.job(job)["state"] == "COMPLETED", "the job is over")
        for command in (["usage"], ["cost", "report"], ["cost", "analysis"]):
            self.assertIn("no prices are set", self.cli(*command).ok().err, command)


if __name__ == "__main__":
    main()
