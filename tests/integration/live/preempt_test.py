#!/usr/bin/python3
"""Jobs that said so give way: they get their signal and grace, and go on later from what they saved."""

import os

from live_platform import ClusterTest, eventually, main

# Counts on from what it saved, saves at each step, and prints what it receives.
COUNTER = """
saved=$GP_CHECKPOINT_DIR/step; step=$(cat $saved 2>/dev/null || echo 0)
echo "from $step resume=${GP_RESUME_FROM:-no}"
trap 'echo told; exit 0' TERM
while [ $step -lt STEPS ]; do step=$((step + 1)); echo $step > $saved; sleep 0.02; done
echo "done $step"
"""


class Preempt(ClusterTest):
    options = {"serve_flags": ("--min-run", "200ms")}

    def counter(self, steps, priority, *flags):
        directory = os.path.join(self.cluster.shared, f"ckpt-{priority}-{steps}")
        os.makedirs(directory, exist_ok=True)
        os.chmod(directory, 0o777)
        return self.cli.start("--gpus", "8", "--priority", str(priority), "--checkpoint-dir", directory, *flags,
                              command=["sh", "-c", COUNTER.replace("STEPS", str(steps))])

    def logged(self, job):
        return self.cli("jobs", "logs", job).ok().out

    def running(self, job):
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", f"{job} runs")

    def test_higher_class_interrupts_and_the_job_goes_on_from_its_checkpoint(self):
        low = self.counter(400, 250, "--preemptible")
        eventually(lambda: "from 0" in self.logged(low), "the low job counts")
        high = self.cli.start("--gpus", "2", "--priority", "750", command=["sleep", "0.3"])
        self.assertEqual(self.cli.wait(high), 0)
        self.assertEqual(self.cli.wait(low), 0)
        seen = self.assert_job(low, state="COMPLETED", attempt=2, preemptions=1, faults=0, retries_used=0)
        self.assertEqual(seen["attempts"][0]["ranks"][0]["outcome"].split()[0], "stopped")
        text = self.logged(low)
        self.assertIn("done 400", text)
        resumed = int(text.rsplit("from ", 1)[1].split()[0])
        self.assertGreater(resumed, 0)
        self.assertIn("resume=/", text)
        self.assertIn("Preempted", self.cli("jobs", "describe", low).ok().out)

    def test_nobody_else_is_interrupted(self):
        firm = self.cli.start("--gpus", "8", "--priority", "250", command=["sleep", "1.5"])
        self.running(firm)
        urgent = self.cli.start("--gpus", "1", "--priority", "1000", command=["true"])
        self.assertEqual(self.cli.wait(urgent), 0)
        self.assert_job(firm, state="COMPLETED", attempt=1)

    def test_a_cancelled_job_that_gives_way_stays_cancelled(self):
        low = self.cli.start("--gpus", "8", "--priority", "250", "--preemptible", "--grace", "1m",
                             command=["sh", "-c", "trap 'echo told' TERM; echo ready; while :; do sleep 0.05; done"])
        eventually(lambda: "ready" in self.logged(low), "the low job is ready")
        high = self.cli.start("--gpus", "8", "--priority", "750", command=["true"])
        eventually(lambda: "told" in self.logged(low), "the low job receives its stop signal")
        self.assert_job(low, detail="CHECKPOINTING")
        self.cli("jobs", "kill", low).ok()
        self.assertEqual(self.cli.wait(low), 130)
        self.assertEqual(self.cli.wait(high), 0)
        self.assert_job(low, state="CANCELLED", attempt=1)


main()
