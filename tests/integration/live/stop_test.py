#!/usr/bin/python3
"""Cancel gives a job its grace, kill does not; wait and all other commands have their exit codes."""

import os
import time

from live_platform import ClusterTest, eventually, main

# Prints when it receives SIGTERM, cleans up for a while, and prints that too.
STUBBORN = "trap 'echo told; sleep {seconds}; echo cleaned; exit 9' TERM; echo ready; while :; do sleep 0.05; done"


class Stop(ClusterTest):
    def start(self, script, *flags):
        job = self.cli.start("--gpus", "1", *flags, command=["sh", "-c", script])
        eventually(lambda: "ready" in self.cli("jobs", "logs", job).out, "the job is ready")
        return job

    def logged(self, job):
        return self.cli("jobs", "logs", job).ok().out.split()

    def test_cancel_sends_sigterm_and_waits(self):
        job = self.start(STUBBORN.format(seconds=0.3))
        self.cli("jobs", "cancel", job).ok()
        self.assertEqual(self.cli.wait(job), 130)
        self.assertEqual(self.logged(job), ["ready", "told", "cleaned"])
        self.assert_job(job, state="CANCELLED")

    def test_cancel_kills_after_the_grace(self):
        job = self.start(STUBBORN.format(seconds=1000), "--grace", "300ms")
        self.cli("jobs", "cancel", job).ok()
        self.assertEqual(self.cli.wait(job), 130)
        self.assertEqual(self.logged(job), ["ready", "told"])

    def test_kill_gives_no_grace(self):
        job = self.start(STUBBORN.format(seconds=1000))
        self.cli("jobs", "kill", job).ok()
        self.assertEqual(self.cli.wait(job), 130)
        self.assertEqual(self.logged(job), ["ready"])
        self.assert_job(job, state="CANCELLED")

    def test_kill_overtakes_a_cancel(self):
        job = self.start(STUBBORN.format(seconds=1000))
        self.cli("jobs", "cancel", job).ok()
        eventually(lambda: "told" in self.logged(job), "SIGTERM arrives")
        self.cli("jobs", "kill", job).ok()
        self.assertEqual(self.cli.wait(job), 130)
        self.assertEqual(self.logged(job), ["ready", "told"])

    def test_waiting_job_is_cancelled_at_once(self):
        self.cli.start("--gpus", "8", command=["sleep", "1000"])
        job = self.cli.start("--gpus", "1", command=["true"])
        self.assert_job(job, state="QUEUED")
        self.cli("jobs", "cancel", job).ok()
        self.assert_job(job, state="CANCELLED", exit_code=130)
        self.assertEqual(self.cli.wait(job), 130)

    def test_time_limit_stops_a_job(self):
        job = self.cli.start("--gpus", "1", "--time-limit", "1s", "--grace", "1s", command=["sleep", "1000"])
        self.assertEqual(self.cli.wait(job), 124)
        self.assert_job(job, state="FAILED", detail="TIMEOUT")

    def test_failed_job_is_tried_again_as_often_as_it_asked(self):
        trace = os.path.join(self.cluster.shared, "trace")
        job, = self.cli.submit({"resources": {"gpus": 1}, "retry": {"max": 2, "backoff": "50ms"},
                                "run": ["sh", "-c", f"echo $GP_ATTEMPT >> {trace}; exit 6"]})
        self.assertEqual(self.cli.wait(job), 6)
        with open(trace) as file:
            self.assertEqual(file.read().split(), ["1", "2", "3"])
        self.assert_job(job, state="FAILED", attempt=3, retries_used=2, faults=0)


class ExitCodes(ClusterTest):
    """The contract for scripts, one by one."""

    def test_2_usage(self):
        for words in ["run --gpus x -- true", "jobs nope", "run", "jobs submit /no/such/file", "status --nope",
                      "-o nope status", "jobs list --state NOPE", "run --gpus 65 -- true", "drain",
                      "run --time-limit 5 -- true", "jobs wait --timeout soon job-1",
                      "jobs list --limit 0", "gpus free --count 0", "jobs describe job-1[x]"]:
            with self.subTest(words):
                answer = self.cli(*words.split())
                self.assertEqual((answer.code, answer.out), (2, ""), answer)
                self.assertNotEqual(answer.err, "")
        self.assertEqual(self.cli.jobs("--all"), [])

    def test_3_not_found(self):
        for words in ["jobs describe job-zzzz", "jobs cancel job-zzzz", "jobs wait job-zzzz", "jobs logs job-zzzz",
                      "health --gpu-id GPU-none", "drain --gpu-id GPU-none", "drain --node nowhere",
                      "replay /no/such/journal", "jobs describe nonsense"]:
            with self.subTest(words):
                self.assertEqual(self.cli(*words.split()).code, 3)

    def test_4_conflict(self):
        job = self.cli.start("--gpus", "1", command=["true"])
        self.assertEqual(self.cli.wait(job), 0)
        for words in ["cancel", "kill", "hold", "release"]:
            with self.subTest(words):
                self.assertEqual(self.cli("jobs", words, job).code, 4)

    def test_5_not_allowed(self):
        job = self.cli.start("--gpus", "1", command=["sleep", "1000"])
        stranger = self.cli.as_user(1234)
        for words in [["jobs", "cancel", job], ["jobs", "kill", job], ["jobs", "logs", job],
                      ["drain", "--gpu-id", "dgx-h100-0/0"],
                      ["offline", "--force", "--node", "dgx-h100-0"], ["online", "--node", "dgx-h100-0"],
                      ["nodes", "declare-lost", "--force", "dgx-h100-0"]]:
            with self.subTest(" ".join(words)):
                self.assertEqual(stranger(*words).code, 5)
        self.assert_job(job, state="RUNNING")

    def test_6_no_room_now(self):
        self.cli("gpus", "free", "--count", "8").ok()
        self.cli.start("--gpus", "1", command=["sleep", "1000"])
        self.assertEqual(self.cli("gpus", "free", "--count", "8").code, 6)

    def test_7_own_timeout(self):
        job = self.cli.start("--gpus", "1", command=["sleep", "1000"])
        self.assertEqual(self.cli.wait(job, timeout="200ms"), 7)
        self.assert_job(job, state="RUNNING")

    def test_8_nobody_answers(self):
        for words in ["status", "jobs list", "run --gpus 1 -- true"]:
            with self.subTest(words):
                answer = self.cli("--server", "/no/such/directory", *words.split())
                self.assertEqual(answer.code, 8)
                self.assertIn("/no/such/directory", answer.err)

    def test_9_unhealthy(self):
        self.cli("health", "--gpu-id", "dgx-h100-0/0").ok()
        self.cli("offline", "--gpu-id", "dgx-h100-0/0").ok()
        self.assertEqual(self.cli("health", "--gpu-id", "dgx-h100-0/0").code, 9)

    def test_10_partly_done(self):
        job = self.cli.start("--gpus", "1", command=["sleep", "1000"])
        self.assertEqual(self.cli("jobs", "kill", "job-zzzz", job).code, 10)
        self.assertEqual(self.cli.wait(job), 130)

    def test_wait_gives_the_jobs_own_code(self):
        job = self.cli.start("--gpus", "1", command=["sh", "-c", "exit 33"])
        self.assertEqual(self.cli.wait(job), 33)
        self.assertEqual(self.cli.wait(job), 33, "afterwards as well")

    def test_wait_for_several_gives_the_worst(self):
        jobs = [self.cli.start("--gpus", "1", command=["sh", "-c", f"exit {code}"]) for code in (0, 33, 5)]
        self.assertEqual(self.cli.wait(*jobs), 33)

    def test_wait_goes_on_over_a_restart_of_the_controller(self):
        job = self.cli.start("--gpus", "1", command=["sh", "-c", "sleep 2; exit 33"])
        waiting = self.cli.popen("-q", "jobs", "wait", job)
        time.sleep(0.3)
        self.cluster.controller.kill()
        self.cluster.start_controller()
        self.assertEqual(waiting.wait(timeout=60), 33)


if __name__ == "__main__":
    main()
