#!/usr/bin/python3
"""The PyTorch example: a gang of DDP processes that is interrupted ends with the weights of one that was not."""

import pathlib
import re
import shutil

from live_platform import ClusterTest, eventually, main

ROOT = pathlib.Path(__file__).resolve().parents[3]
STEPS = 300


class PyTorch(ClusterTest):
    options = {"nodes": 2, "serve_flags": ("--min-run", "200ms")}

    def setUp(self):
        super().setUp()
        self.place = pathlib.Path(self.cluster.shared, "copy")  # the checkout may be closed to the jobs' user
        for part in ("examples", "clients/python"):
            shutil.copytree(ROOT / part, self.place / part)

    def submit(self, name, *more):
        command = f"cd {self.place}/examples && exec /usr/bin/python3 -B ddp.py --steps {STEPS} --checkpoint-every {STEPS} " + " ".join(more)
        checkpoints = pathlib.Path(self.cluster.shared, name)
        checkpoints.mkdir(exist_ok=True)
        checkpoints.chmod(0o777)
        return self.cli("jobs", "submit", str(ROOT / "examples/ddp.gpu.yaml"), "--set", f"name={name}", "--set", f"checkpoint.dir={checkpoints}",
                        "--set", f"run={command}").ok().out.strip()

    def logged(self, job):
        return self.cli("jobs", "logs", job).ok().out

    def weights(self, job):
        told = re.search(rf"loss ([0-9.]+) after {STEPS} steps, weights ([0-9a-f]{{16}})", self.logged(job))
        self.assertTrue(told, f"{self.logged(job)}\n{self.cli('jobs', 'logs', job, '--stderr').out}")
        return float(told.group(1)), told.group(2)

    def test_it_gives_way_and_goes_on(self):
        whole = self.submit("whole")
        self.assertEqual(self.cli.wait(whole, timeout="120s"), 0, self.cli("jobs", "logs", whole, "--stderr").out)
        loss, weights = self.weights(whole)
        self.assertLess(loss, 0.5, "it learns")

        again = self.submit("whole")  # whose checkpoints are there
        self.assertEqual(self.cli.wait(again, timeout="120s"), 0, self.cli("jobs", "logs", again, "--stderr").out)
        self.assertIn(f"nothing left to do of {STEPS} steps, weights {weights}", self.logged(again))

        job = self.submit("cut", "--pause", "0.03")
        eventually(lambda: int((self.cli.job(job).get("progress") or {}).get("step", 0)) > 20, lambda: f"it is on its way: {self.cli.job(job)}", timeout=60)
        urgent = self.cli.start("--nodes", "2", "--gpus", "8", "--priority", "900", command=["true"])
        self.assertEqual(self.cli.wait(urgent, timeout="120s"), 0)
        self.assertEqual(self.cli.wait(job, timeout="120s"), 0, self.cli("jobs", "logs", job, "--stderr").out)
        seen = self.assert_job(job, state="COMPLETED", attempt=2, preemptions=1, faults=0, retries_used=0)
        begun = int(re.search(r"4 ranks over gloo, from step (\d+)\n", self.logged(job)).group(1))
        self.assertTrue(20 < begun < STEPS, f"from the checkpoint that it was asked for: {seen}")
        self.assertEqual(self.weights(job), (loss, weights))

    def test_torchrun_needs_no_flags(self):
        # Debian's torch 1.13 on Python 3.11 finds members of its IntFlag of one bit only: neither "no stream" nor "both".
        streams = ("--env", "PET_REDIRECTS=1", "--env", "PET_TEE=1")
        shape = ("--gpus", "2", "--env", "PYTHONDONTWRITEBYTECODE=1", *streams, "--workdir", f"{self.place}/examples")
        checkpoints = pathlib.Path(self.cluster.shared, "torchrun")
        checkpoints.mkdir()
        checkpoints.chmod(0o777)
        shape += ("--checkpoint-dir", str(checkpoints))
        job = self.cli.start(*shape, "--nodes", "2", command=["torchrun", "ddp.py", "--steps", "5"])
        self.assertEqual(self.cli.wait(job, timeout="120s"), 0, self.cli("jobs", "logs", job, "--stderr").out)
        self.assertIn("4 ranks over gloo", self.logged(job))
        launched = self.cli.start(*shape, "--nodes", "2", "--launcher", "torchrun", command=["python3", "ddp.py", "--steps", "7"])
        self.assertEqual(self.cli.wait(launched, timeout="120s"), 0, self.cli("jobs", "logs", launched, "--stderr").out)
        self.assertIn("4 ranks over gloo", self.logged(launched))
        alone = self.cli.start(*shape, "--nodes", "1", command=["torchrun", "ddp.py", "--steps", "9"])
        self.assertEqual(self.cli.wait(alone, timeout="120s"), 0, self.cli("jobs", "logs", alone, "--stderr").out)
        self.assertIn("2 ranks over gloo", self.logged(alone))


if __name__ == "__main__":
    main()
