#!/usr/bin/python3
"""What jobs say of themselves, and how they are started again, on a real controller, agent, supervisors and jobs."""

import os
import time

from live_platform import ClusterTest, eventually, main

# Ends only when it receives a stop signal, after a checkpoint; keeps a note of every signal.
KEEPS_WORK = """
import os, signal, sys, time
directory, report = os.environ["GP_CHECKPOINT_DIR"], os.environ["GP_REPORT"]
step = int(os.environ.get("GP_RESUME_STEP", "0"))
print("from", os.environ.get("GP_RESUME_FROM", "the beginning"), "step", step, flush=True)
def save(*_):
    path = f"{directory}/{step}"
    with open(path, "w") as file: file.write("x" * 1000)
    with open(report, "w") as pipe: pipe.write(f"checkpoint step={step} bytes=1000 seconds=0.25 path={path}\\n")
signal.signal(signal.SIGUSR1, save)
while True:
    time.sleep(0.02)
    step += 1
"""


class Checkpoints(ClusterTest):
    options = {"nodes": 2}

    def setUp(self):
        super().setUp()
        self.directory = self.cluster.shared

    def job_file(self, program, **keys):
        spec = {"name": "keeper", "run": ["python3", "-c", program], "resources": {"gpus": 1}, "checkpoint": {"dir": self.directory, "grace": "10s"}}
        for key, value in keys.items():
            if isinstance(value, dict) and key in spec:
                spec[key].update(value)
            else:
                spec[key] = value
        return spec

    def shell(self, script, **keys):
        return self.cli.submit(self.job_file("", run=script, **keys))[0]

    def runs(self, job, attempt):
        seen = self.cli.job(job)
        return seen["attempt"] == attempt and seen["detail"] == "RUNNING"

    def place_of(self, job):
        rank = self.cli.job(job)["attempts"][-1]["ranks"][0]
        return rank["node"], rank["gpus"][0]

    def inject(self, node, command):
        with open(os.path.join(self.cluster.agent_state(int(node.rsplit("-", 1)[1])), "faults"), "a") as control:
            control.write(command + "\n")

    def checkpoints(self, job):
        return self.cli.job(job).get("checkpoints", [])

    def test_a_job_that_a_fault_took_goes_on_from_its_newest_complete_checkpoint(self):
        job = self.shell("""
            if [ -n "${GP_RESUME_FROM:-}" ]; then echo "resumed from $GP_RESUME_FROM at $GP_RESUME_STEP"; exit 0; fi
            mkdir $GP_CHECKPOINT_DIR/one && head -c 5000 /dev/zero > $GP_CHECKPOINT_DIR/one/weights
            echo "checkpoint step=10 bytes=5000 path=$GP_CHECKPOINT_DIR/one" > $GP_REPORT
            echo "checkpoint step=20 bytes=5001 path=$GP_CHECKPOINT_DIR/one" > $GP_REPORT
            echo "checkpoint step=30 path=$GP_CHECKPOINT_DIR/none" > $GP_REPORT
            echo "progress step=31 of=100" > $GP_REPORT
            sleep 1000""")
        eventually(lambda: len(self.checkpoints(job)) == 3, "all three are known")
        self.assertEqual([(one["step"], one.get("complete", False)) for one in self.checkpoints(job)], [(10, True), (20, False), (30, False)])
        eventually(lambda: (self.cli.job(job).get("progress") or {}).get("step") == 31, "its progress is shown")
        described = self.cli("jobs", "describe", job).ok().out
        self.assertRegex(described, "Progress +step 31 of 100 at ")
        self.assertIn("not complete: only 5000 of 5001 bytes are there", described)
        self.assertRegex(described, "not complete: .*No such file")
        node, gpu = self.place_of(job)
        self.inject(node, f"xid gpu={gpu} code=95")
        self.cli.wait(job)
        self.assert_job(job, state="COMPLETED", attempt=2, faults=1, retries_used=0)
        self.assertEqual(self.cli("jobs", "logs", job).ok().out.strip(), f"resumed from {self.directory}/one at 10")
        self.assertEqual([(a["end_class"], a["charged_to"]) for a in self.cli.job(job)["attempts"]], [("gpu-error", "hardware"), ("completed", "nobody")])

    def test_the_signal_reaches_who_handles_it_and_the_job_goes_on_from_there(self):
        # A shell around it that would be ended by the signal, and a helper that would be too.
        program = self.job_file("")["checkpoint"]
        script = f"sleep 1000 & python3 -c '{KEEPS_WORK}' ; echo shell"
        job = self.shell(script, checkpoint={**program, "signal": "SIGUSR1", "every": "1s"}, retry={"max": 0})
        eventually(lambda: len(self.checkpoints(job)) >= 2, "it was asked twice")
        self.assert_job(job, state="RUNNING", attempt=1)
        node, _ = self.place_of(job)
        self.cli("drain", "--node", node).ok()
        self.cli("offline", "--node", node, "--force").ok()
        eventually(lambda: self.runs(job, 2), "it runs elsewhere")
        steps = [one["step"] for one in self.checkpoints(job)]
        self.assertEqual(steps, sorted(steps))
        eventually(lambda: "from" in self.cli("jobs", "logs", job).ok().out, "it says where it goes on")
        self.assertRegex(self.cli("jobs", "logs", job).ok().out, rf"from {self.directory}/\d+ step \d+")
        self.assertRegex(self.cli("jobs", "describe", job).ok().out, r"least is lost with one every ")
        began = time.monotonic()
        self.cli("jobs", "cancel", job).ok()
        self.cli.wait(job)
        self.assertLess(time.monotonic() - began, 8)  # a checkpoint has come: not all of its grace

    def test_only_the_newest_and_the_best_are_kept(self):
        job = self.shell("""
            n=0; for score in 3.5 1.25 2 4 5; do n=$((n + 1))
              mkdir $GP_CHECKPOINT_DIR/$n && echo weights > $GP_CHECKPOINT_DIR/$n/file
              echo "checkpoint step=$n score=$score path=$GP_CHECKPOINT_DIR/$n" > $GP_REPORT
              sleep 0.6
            done; sleep 1000""", checkpoint={"keep": 2, "best": "min"})
        eventually(lambda: sorted(os.listdir(self.directory)) == ["2", "4", "5"], "the others are removed")
        self.assertEqual([(one["step"], one["score"]) for one in self.checkpoints(job)], [(2, 1.25), (4, 4), (5, 5)])
        self.assertIn("score 1.25", self.cli("jobs", "describe", job).ok().out)
        self.cli("jobs", "cancel", job).ok()
        self.cli.wait(job)
        self.assertEqual(sorted(os.listdir(self.directory)), ["2", "4", "5"])

    def test_a_job_that_says_nothing_for_too_long_is_started_again(self):
        job = self.shell("""
            echo "progress step=$GP_ATTEMPT" > $GP_REPORT
            [ $GP_ATTEMPT -ge 2 ] || sleep 1000""", hang_after="1s", retry={"max": 1, "backoff": "0s"})
        self.cli.wait(job)
        self.assert_job(job, state="COMPLETED", attempt=2, retries_used=1, faults=0)
        first = self.cli.job(job)["attempts"][0]
        self.assertEqual((first["end_class"], first["charged_to"]), ("hang", "user"))

    def test_a_job_that_never_reports_hangs_when_its_gpus_do_nothing(self):
        for node in self.cluster.node_names():
            for gpu in range(8):
                self.inject(node, f"utilization gpu={gpu} percent=90")
                self.addCleanup(self.inject, node, f"utilization gpu={gpu} percent=0")
        job = self.shell("[ $GP_ATTEMPT -ge 2 ] || sleep 1000", hang_after="2s", retry={"max": 1, "backoff": "0s"})
        eventually(lambda: self.cli.job(job)["run_seconds"] > 4, "it runs for longer than hang_after")
        self.assert_job(job, state="RUNNING", attempt=1)
        node, gpu = self.place_of(job)
        self.inject(node, f"utilization gpu={gpu} percent=0")
        self.cli.wait(job)
        self.assert_job(job, state="COMPLETED", attempt=2, retries_used=1, faults=0)
        self.assertEqual(self.cli.job(job)["attempts"][0]["end_class"], "hang")

    def test_what_the_log_tells_decides_whether_and_where_it_is_tried_again(self):
        final = self.shell("echo 'RuntimeError: CUDA out of memory' >&2; exit 3", retry={"max": 3, "backoff": "0s"}, on_log={"out of memory": "stop_retries"})
        moved = self.shell("""
            [ $GP_ATTEMPT -ge 2 ] && exit 0
            echo "link 3 is down"; exit 4""", retry={"max": 1, "backoff": "0s", "on": ["node_failure", "gpu_error", "preempted"]}, on_log={"link [0-9] is down": "exclude_node"})
        self.cli.wait(final)
        self.cli.wait(moved)
        self.assert_job(final, state="FAILED", attempt=1, exit_code=3)
        self.assertEqual(self.cli.job(final)["attempts"][0]["end_class"], "gpu-memory")
        self.assertRegex(self.cli("jobs", "describe", final).ok().out, "Last error +RuntimeError: CUDA out of memory")
        self.assert_job(moved, state="COMPLETED", attempt=2, retries_used=1)
        attempts = self.cli.job(moved)["attempts"]
        self.assertNotEqual(attempts[0]["ranks"][0]["node"], attempts[1]["ranks"][0]["node"])

    def test_reports_outlive_the_agent_and_bad_ones_are_told(self):
        job = self.shell("""
            echo "progress step=ten" > $GP_REPORT
            until [ -e $GP_CHECKPOINT_DIR/go ]; do sleep 0.05; done
            echo x > $GP_CHECKPOINT_DIR/two; echo "checkpoint step=2 path=$GP_CHECKPOINT_DIR/two" > $GP_REPORT
            sleep 1000""")
        eventually(lambda: "step=ten" in (self.cli.job(job).get("progress") or {}).get("refused", ""), "the bad report is shown")
        agent = self.cluster.agent_of(self.place_of(job)[0])
        agent.kill()
        open(f"{self.directory}/go", "w").close()
        eventually(lambda: os.path.exists(f"{self.directory}/two"), "it went on without the agent")
        agent.start()
        eventually(lambda: [one["step"] for one in self.checkpoints(job)] == [2], "what it said meanwhile is known")
        self.assert_job(job, state="RUNNING", attempt=1)

    def test_what_it_says_last_counts(self):
        job = self.shell("echo x > $GP_CHECKPOINT_DIR/end; echo \"checkpoint step=9 bytes=2 path=$GP_CHECKPOINT_DIR/end\" > $GP_REPORT")
        self.cli.wait(job)
        self.assertEqual([(one["step"], one["complete"], one["bytes"]) for one in self.checkpoints(job)], [(9, True, 2)], self.checkpoints(job))


if __name__ == "__main__":
    main()
