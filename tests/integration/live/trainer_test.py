#!/usr/bin/python3
"""A job with gpu_platform.Trainer that is killed, preempted or asked for checkpoints ends as one that was left alone."""

import os
import pathlib
import re
import shutil
import signal

from live_platform import ClusterTest, eventually, main

ROOT = pathlib.Path(__file__).resolve().parents[3]
STEPS, EVERY, SLOW_FROM = 300, 40, 90

# Its first attempt is slow from a step on, so that the test meets it on its way.
PROGRAM = f"""
import hashlib, json, os, random, sys, time
from gpu_platform import Trainer

is_slow = os.environ.get("SLOW") == "1" and os.environ["GP_ATTEMPT"] == "1"
weights, speeds = [0.5] * 8, [0.0] * 8
random.seed(5)

def save(path):
    with open(path, "w") as file:
        json.dump([weights, speeds], file)

def load(path):
    with open(path) as file:
        weights[:], speeds[:] = json.load(file)

def evaluate():
    return sum(w * w for w in weights), {{"eval/first": weights[0]}}

t = Trainer(steps={STEPS}, checkpoint_every={EVERY}, keep=2, best="min", save=save, load=load, evaluate=evaluate)
print("from", t.resume(), flush=True)
for step in t:
    for i in range(8):
        speeds[i] = 0.9 * speeds[i] - 0.01 * weights[i] + 0.001 * random.gauss(0, 1)
        weights[i] += speeds[i]
    t.log({{"train/loss": sum(map(abs, weights))}})
    if is_slow and step >= {SLOW_FROM}:
        time.sleep(0.3)
print("stopped" if t.is_stopped else "done", t.step, hashlib.sha256(repr([weights, speeds]).encode()).hexdigest()[:16], flush=True)
sys.exit(143 if t.is_stopped else 0)
"""


class TrainerJob(ClusterTest):
    options = {"nodes": 1, "serve_flags": ("--min-run", "200ms")}

    def setUp(self):
        super().setUp()
        self.place = pathlib.Path(self.cluster.shared)
        shutil.copytree(ROOT / "clients/python/gpu_platform", self.place / "gpu_platform", ignore=shutil.ignore_patterns("__pycache__"))
        (self.place / "train.py").write_text(PROGRAM)

    def submit(self, name, slow=True, **checkpoint):
        place = self.place / name
        place.mkdir()
        place.chmod(0o777)
        env = {"PYTHONPATH": str(self.place), "PYTHONDONTWRITEBYTECODE": "1", "SLOW": "1" if slow else "0"}
        return self.cli.submit({"name": name, "run": ["/usr/bin/python3", str(self.place / "train.py")], "resources": {"gpus": 8}, "env": env,
                                "preemptible": True, "retry": {"max": 1, "backoff": "0s"}, "checkpoint": {"dir": str(place), **checkpoint}})[0]

    def await_slow(self, job):
        eventually(lambda: int((self.cli.job(job).get("progress") or {}).get("step", 0)) >= SLOW_FROM, lambda: f"it is on its way: {self.cli.job(job)}")

    def end(self, job):
        """(where its last attempt began, its last line)."""
        self.assertEqual(self.cli.wait(job, timeout="120s"), 0, self.cli("jobs", "logs", job, "--stderr").out)
        log = self.cli("jobs", "logs", job).ok().out
        return int(re.findall(r"\bfrom (?:step )?(\d+)$", log, re.M)[-1]), log.splitlines()[-1]

    def whole(self):
        """The last line of a run that was left alone."""
        begun, line = self.end(self.submit("whole", slow=False))
        self.assertEqual((begun, line.split()[:2]), (0, ["done", str(STEPS)]))
        return line

    def series(self, job, name):
        answer = self.cli("jobs", "metrics", job, name, "-o", "json").json
        return next(iter(answer.get("series", [])), {})

    def test_one_that_is_killed_goes_on_and_shows_its_checkpoints_and_metrics(self):
        job = self.submit("killed")
        self.await_slow(job)
        os.kill(self.cluster.sandbox.process_of("/usr/bin/python3", str(self.place / "train.py")), signal.SIGKILL)
        begun, line = self.end(job)
        self.assertEqual((begun % EVERY, line), (0, self.whole()))
        self.assertGreaterEqual(begun, SLOW_FROM // EVERY * EVERY)
        seen = self.assert_job(job, state="COMPLETED", attempt=2)
        # Some between are removed before they are checked: 40 steps take no time here.
        self.assertEqual([(int(one["step"]), one["complete"]) for one in seen["checkpoints"]][-1], (STEPS, True))
        self.assertIn(f"step-{STEPS:012}", self.cli("jobs", "describe", job).ok().out)
        directory = self.place / "killed"
        best = os.readlink(directory / "best")
        self.assertTrue({f"step-{280:012}", f"step-{300:012}", best} >= {one for one in os.listdir(directory) if one != "best"}, os.listdir(directory))
        self.assertTrue((directory / best / "model").is_file())
        for name in ("train/loss", "eval/score", "eval/first"):
            eventually(lambda name=name: self.series(job, name).get("last", {}).get("step") == STEPS, lambda name=name: f"{name}: {self.series(job, name)}")

    def test_one_that_is_preempted_saves_at_once_and_goes_on_there(self):
        job = self.submit("preempted")
        self.await_slow(job)
        urgent = self.cli.start("--gpus", "8", "--priority", "900", command=["true"])
        self.assertEqual(self.cli.wait(urgent), 0)
        begun, line = self.end(job)
        self.assert_job(job, state="COMPLETED", attempt=2, preemptions=1, retries_used=0)
        self.assertIn(f"stopped {begun} ", self.cli("jobs", "logs", job, "--attempt", "1").ok().out)
        self.assertGreaterEqual(begun, SLOW_FROM)
        self.assertEqual(line, self.whole())

    def test_one_that_is_asked_for_checkpoints_by_a_signal_goes_on_until_it_must_stop(self):
        job = self.submit("signalled", signal="SIGUSR1", every="1s")
        eventually(lambda: any(int(one["step"]) > SLOW_FROM and int(one["step"]) % EVERY for one in self.cli.job(job).get("checkpoints", [])),
                   lambda: f"a checkpoint that the platform asked for: {self.cli.job(job)}")
        self.assert_job(job, state="RUNNING", attempt=1)
        urgent = self.cli.start("--gpus", "8", "--priority", "900", command=["true"])
        self.assertEqual(self.cli.wait(urgent), 0)
        begun, line = self.end(job)
        self.assert_job(job, state="COMPLETED", attempt=2, preemptions=1)
        self.assertIn(f"stopped {begun} ", self.cli("jobs", "logs", job, "--attempt", "1").ok().out)
        self.assertEqual(line, self.whole())

    def test_one_that_is_cancelled_leaves_a_checkpoint_for_the_next_job(self):
        job = self.submit("cancelled")
        self.await_slow(job)
        self.cli("jobs", "cancel", job).ok()
        self.assertNotEqual(self.cli.wait(job), 0)
        self.assert_job(job, state="CANCELLED")
        step = int(re.search(r"^stopped (\d+) ", self.cli("jobs", "logs", job).ok().out, re.M).group(1))
        self.assertTrue((self.place / "cancelled" / f"step-{step:012}").is_dir())
        os.rename(self.place / "cancelled", self.place / "moved")  # as if the next one named the same directory
        again = self.cli.submit({"run": ["/usr/bin/python3", str(self.place / "train.py")], "resources": {"gpus": 8}, "env": {"PYTHONPATH": str(self.place)},
                                 "checkpoint": {"dir": str(self.place / "moved")}})[0]
        self.assertEqual(self.end(again), (step, self.whole()))

    def test_the_example_runs_by_its_job_file(self):
        shutil.copytree(ROOT / "examples", self.place / "copy/examples")  # the checkout may be closed to the jobs' user
        shutil.copytree(ROOT / "clients/python", self.place / "copy/clients/python")
        checkpoints = self.place / "example"
        checkpoints.mkdir()
        checkpoints.chmod(0o777)
        job = self.cli("jobs", "submit", str(self.place / "copy/examples/bert_finetune.gpu.yaml"), "--set", f"workdir={self.place}/copy/examples",
                       "--set", f"checkpoint.dir={checkpoints}", "--set", "run=exec /usr/bin/python3 -B bert_finetune.py --model words").ok().out.strip()
        begun, line = self.end(job)
        self.assertRegex(line, r"^loss [\d.]+, accuracy (0\.9\d\d|1\.000) after 200 steps, weights [0-9a-f]{16}$")
        self.assertEqual([int(one["step"]) for one in self.cli.job(job)["checkpoints"]][-1], 200)


if __name__ == "__main__":
    main()
