#!/usr/bin/python3
"""Metrics that jobs report of their training, on a real controller, agents, supervisors and jobs."""

import os
import pathlib

from live_platform import ClusterTest, eventually, main

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Reports a loss a step; from its second attempt on it resumes at step 3.
TRAINS = """
import os, time
from gpu_platform import training
first = 3 if int(os.environ["GP_ATTEMPT"]) > 1 else 1
for step in range(first, first + 5):
    training.metric(step, {"train/loss": 1 / step, "lr": 3e-4})
    time.sleep(0.05)
open(os.environ["MARK"] + os.environ["GP_ATTEMPT"], "w").close()
while not os.path.exists(os.environ["MARK"] + "end"): time.sleep(0.05)
"""


class Metrics(ClusterTest):
    options = {"nodes": 2}

    def job(self, run, **keys):
        env = {"PYTHONPATH": str(ROOT / "clients/python"), "MARK": os.path.join(self.cluster.shared, "mark")}
        return self.cli.submit({"name": "trainer", "run": run, "resources": {"gpus": 1}, "env": env, **keys})[0]

    def series(self, job, *words):
        return {one["name"]: one for one in self.cli("jobs", "metrics", job, *words, "-o", "json").json.get("series", [])}

    def await_last(self, job, name, field, value):
        eventually(lambda: self.series(job).get(name, {}).get("last", {}).get(field) == value, lambda: f"{field} {value} of {name}: {self.series(job)}")

    def points(self, job, name, *words):
        return [(point["step"], point["attempt"]) for point in self.series(job, *words).get(name, {}).get("points", [])]

    # Reports the values one by one, and saves what it has when it is stopped.
    REPORTS = """
import os, signal, sys, time
from gpu_platform import training
def save(*_):
    print("saved", flush=True)
    sys.exit(0 if os.environ["GP_ATTEMPT"] == "2" else 1)
signal.signal(signal.SIGTERM, save)
for step, value in enumerate(sys.argv[1:]):
    training.metric(step, {"train/loss": float(value)})
    time.sleep(0.02)
    if os.environ["GP_ATTEMPT"] == "2": sys.exit(0)
while True: time.sleep(1)
"""

    def ended(self, rules, *values, **keys):
        job = self.job(["python3", "-c", self.REPORTS, *values], on_metric=rules, **keys)
        self.cli.wait(job)
        return job, self.cli.job(job)

    def test_rules_end_a_job_as_they_say(self):
        job, seen = self.ended({"train/loss is nan": "stop"}, "3", "nan", "4", retry={"max": 3, "on": ["failure", "node_failure", "gpu_error", "preempted"]})
        self.assertEqual((seen["state"], seen["attempt"], seen["attempts"][0]["end_class"]), ("FAILED", 1, "metric"))
        self.assertIn("train/loss is nan at step 1: on_metric says stop", self.cli("jobs", "describe", job).ok().out)
        self.assertIn("saved", self.cli("jobs", "logs", job).ok().out)
        _, seen = self.ended({"train/loss < 0.5": "complete"}, "3", "0.25")
        self.assertEqual((seen["state"], seen["exit_code"], seen["reason"]), ("COMPLETED", 0, "train/loss = 0.25 at step 1: on_metric says complete"))
        _, seen = self.ended({"train/loss > 100": "restart"}, "3", "1e3")
        self.assertEqual((seen["state"], seen["attempt"], seen["retries_used"]), ("COMPLETED", 2, 1))
        _, seen = self.ended({"train/loss > 1": "complete", "train/acc < 3": "stop"}, "1", "7", nodes=2)
        self.assertEqual(seen["state"], "COMPLETED")
        self.assertRegex(seen["reason"], r"^rank [01]: train/loss = 7 at step 1: on_metric says complete$")

    def test_a_job_that_is_done_has_all_that_it_reported(self):
        job = self.job('for i in 1 2 3; do echo "metric step=$i train/loss=0.$i eval/acc=1e-$i" > $GP_REPORT; done')
        self.cli("jobs", "wait", job).ok()
        self.await_last(job, "train/loss", "last", 0.3)
        loss = self.series(job)["train/loss"]
        self.assertEqual(sum(int(point["count"]) for point in loss["points"]), 3)
        self.assertEqual(min(point["min"] for point in loss["points"]), 0.1)
        self.assertEqual(self.series(job)["eval/acc"]["last"]["last"], 0.001)
        self.assertEqual(set(self.series(job, "eval/acc")), {"eval/acc"})
        table = self.cli("jobs", "metrics", job).ok().out
        self.assertRegex(table, r"train/loss +0 +3 +0\.3 +0\.1 +0\.3")
        csv = self.cli("jobs", "metrics", job, "eval/acc", "-o", "csv").ok().out.splitlines()
        self.assertEqual(csv[0], "metric,rank,attempt,step,at,count,min,max,last")
        self.assertTrue(csv[-1].startswith("eval/acc,0,1,3,"), csv[-1])

    def test_a_lost_node_does_not_take_the_curve_with_it(self):
        job = self.job(["python3", "-c", TRAINS], on_lease_loss="stop")
        mark = os.path.join(self.cluster.shared, "mark")
        eventually(lambda: os.path.exists(mark + "1"), "the first attempt")
        self.await_last(job, "train/loss", "step", 5)
        node = self.cli.job(job)["attempts"][-1]["ranks"][0]["node"]
        self.cluster.agent_of(node).kill()
        eventually(lambda: os.path.exists(mark + "2"), "the second attempt")
        self.await_last(job, "train/loss", "step", 7)
        shown = self.points(job, "train/loss")
        first_again = min(step for step, attempt in shown if attempt == 2)
        self.assertTrue(all(step < first_again for step, attempt in shown if attempt == 1), shown)
        self.assertIn((5, 1), self.points(job, "train/loss", "--superseded"))
        self.cluster.agent_of(node).start()  # it ends what still runs there
        open(mark + "end", "w").close()
        self.cli("jobs", "wait", job).ok()

    def test_nan_is_told_with_its_step(self):
        job = self.job('for v in 0.5 0.4 nan nan; do i=$((i+1)); echo "metric step=$i loss=$v" > $GP_REPORT; done; sleep 60')
        eventually(lambda: self.series(job).get("loss", {}).get("not_finite_since") == 3, "NaN")
        self.assertIn("loss is nan since step 3", self.cli("jobs", "metrics", job).ok().err)
        self.assertEqual(self.series(job)["loss"]["last"]["not_finite"], "nan")
        self.cli("jobs", "cancel", job).ok()

    def test_what_is_no_metric_is_told_and_the_rest_counts(self):
        job = self.job('echo "metric step=4 loss=tensor(0.5) acc=0.25" > $GP_REPORT; sleep 60')
        self.await_last(job, "acc", "step", 4)
        self.assertEqual(set(self.series(job)), {"acc"})
        self.assertEqual(self.cli.job(job)["progress"]["step"], 4)
        self.assertIn('"loss=tensor(0.5)": a metric is a number', self.cli("jobs", "describe", job).ok().out)
        self.cli("jobs", "cancel", job).ok()

    def test_a_controller_and_an_agent_that_restart_lose_nothing(self):
        job = self.job('for i in $(seq 200); do echo "metric step=$i loss=$i" > $GP_REPORT; sleep 0.02; done; sleep 60')
        eventually(lambda: self.series(job), "the first metric")
        self.cluster.controller.kill()
        for agent in self.cluster.agents:
            agent.kill()
        self.cluster.start_controller()
        for agent in self.cluster.agents:
            agent.start()
        self.await_last(job, "loss", "last", 200)
        self.assertEqual(sum(int(point["count"]) for point in self.series(job)["loss"]["points"]), 200)
        self.cli("jobs", "cancel", job).ok()

    def test_mistakes_are_told(self):
        job = self.job("true")
        self.cli("jobs", "wait", job).ok()
        self.assertIn("no metrics yet", self.cli("jobs", "metrics", job).ok().err)
        self.assertIn("points: a number from 1 to 100000", self.cli("jobs", "metrics", job, "--points", "-1").err)
        self.assertIn("no job", self.cli("jobs", "metrics", "999999").err)


if __name__ == "__main__":
    main()
