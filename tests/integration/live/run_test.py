#!/usr/bin/python3
"""`gpu-platform run`: exit codes and output are the program's own."""

import os
import re
import tempfile

from live_platform import ClusterTest, eventually, main


class Run(ClusterTest):
    def run_job(self, *command, flags=("--gpus", "1")):
        return self.cli("run", *flags, "--", *command)

    def test_success_is_0(self):
        self.assertEqual(self.run_job("true").code, 0)

    def test_exit_code_is_the_programs(self):
        self.assertEqual(self.run_job("sh", "-c", "exit 7").code, 7)

    def test_end_by_signal_is_128_and_its_number(self):
        self.assertEqual(self.run_job("sh", "-c", "kill -SEGV $$").code, 128 + 11)
        self.assertEqual(self.run_job("sh", "-c", "kill -KILL $$").code, 128 + 9)

    def test_no_such_program_is_127_and_says_so(self):
        answer = self.run_job("/no/such/program")
        self.assertEqual(answer.code, 127, answer)
        self.assertIn("/no/such/program", answer.err)

    def test_stdout_and_stderr_stay_apart(self):
        answer = self.run_job("sh", "-c", "echo data; echo words >&2")
        self.assertEqual(answer.out, "data\n")
        self.assertIn("words\n", answer.err)

    def test_output_is_complete_to_its_last_byte(self):
        answer = self.run_job("sh", "-c", "seq 100000; printf last")
        self.assertEqual(answer.out, "".join(f"{n}\n" for n in range(1, 100001)) + "last")

    def test_both_streams_at_once_are_complete(self):
        answer = self.run_job("sh", "-c", "seq 20000 & seq 20000 >&2; wait")
        numbers = [f"{n}" for n in range(1, 20001)]
        self.assertEqual(answer.out.splitlines(), numbers)
        self.assertEqual([line for line in answer.err.splitlines() if line.isdigit()], numbers)

    def test_input_that_does_not_reach_the_job_is_told(self):
        with tempfile.TemporaryFile() as file:
            file.write(b"hello\n")
            for flags in ((), ("--detach",)):
                file.seek(0)
                out, err = self.cli.popen("run", "--gpus", "1", *flags, "--", "cat", stdin=file, stdout=-1, stderr=-1).communicate(timeout=60)
                self.assertNotIn(b"hello", out)
                self.assertRegex(err, rb"standard input does not reach job-\d+: .* jobs exec job-\d+ -- COMMAND passes")
        late = self.cli("run", "--gpus", "1", "--", "sleep", "1", input=b"hello\n")  # perhaps there only when the job is queued
        self.assertIn("standard input does not reach", late.ok().err)
        for answer in (self.run_job("cat"), self.cli("run", "--gpus", "1", "--", "cat", input=b"")):
            self.assertNotIn("standard input", answer.ok().err)

    def test_bytes_that_are_no_text_arrive_unchanged(self):
        process = self.cli.popen("-q", "run", "--gpus", "1", "--", "printf", r"\000\377\r\n\033", stdout=-1)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(out, b"\0\xff\r\n\x1b")

    def test_job_sees_only_what_it_was_given(self):
        answer = self.run_job("sh", "-c", "env", flags=("--gpus", "2", "--env", "MINE=1"))
        seen = dict(line.split("=", 1) for line in answer.ok().out.splitlines())
        self.assertEqual(seen["MINE"], "1")
        self.assertEqual(seen["GP_GPUS_PER_NODE"], "2")
        self.assertEqual(len(seen["CUDA_VISIBLE_DEVICES"].split(",")), 2)
        self.assertEqual(seen["CUDA_VISIBLE_DEVICES"], seen["NVIDIA_VISIBLE_DEVICES"])
        self.assertNotIn("GPU_PLATFORM_SERVER", seen, "nothing of the caller's or the agent's own")

    def test_platforms_variables_cannot_be_set_by_a_job(self):
        answer = self.run_job("sh", "-c", "echo $CUDA_VISIBLE_DEVICES",
                              flags=("--gpus", "1", "--env", "CUDA_VISIBLE_DEVICES=GPU-x"))
        self.assertNotIn("GPU-x", answer.out)

    def test_detached_it_prints_the_id_and_nothing_else(self):
        answer = self.cli("run", "-d", "--gpus", "1", "--", "true").ok()
        self.assertRegex(answer.out, r"\Ajob-[0-9a-z]+\n\Z")
        self.assertEqual(self.cli.wait(answer.out.strip()), 0)

    def test_interrupted_it_detaches_and_the_job_runs_on(self):
        process = self.cli.popen("run", "--gpus", "1", "--", "sleep", "1000", stdout=-1, stderr=-1)
        self.assertIn(b"queued", process.stderr.readline())  # it knows its job, which may run before that
        eventually(lambda: any(job["state"] == "RUNNING" for job in self.cli.jobs()), "the job runs")
        process.send_signal(2)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"runs on", err)
        self.assertEqual([job["state"] for job in self.cli.jobs()], ["RUNNING"])

    def waiting(self):
        """A run whose job finds no free GPU, and the job that has them."""
        filler = self.cli.start("--gpus", "8", command=["sleep", "1000"])
        process = self.cli.popen("run", "--gpus", "8", "--", "sleep", "1000", stdout=-1, stderr=-1)
        job = re.search(rb"job-\w+", process.stderr.readline()).group().decode()
        return process, job, filler

    def test_waiting_it_says_why_and_then_where_it_started(self):
        process, job, filler = self.waiting()
        self.assertRegex(process.stderr.readline().decode(), rf"^» {job} waits: .*8 GPUs")
        self.cli("jobs", "hold", job).ok()
        self.assertRegex(process.stderr.readline().decode(), rf"^» {job} waits: .*held")
        self.cli("jobs", "release", job).ok()
        self.assertRegex(process.stderr.readline().decode(), rf"^» {job} waits: .*8 GPUs")
        self.cli("jobs", "kill", filler).ok()
        self.assertEqual(process.stderr.readline().decode(), f"» {job} started on {self.cluster.node_names()[0]}; warning: crosses sockets\n")
        self.cli("jobs", "kill", job).ok()
        process.communicate(timeout=60)

    def test_a_place_across_sockets_is_warned_of(self):
        process = self.cli.popen("run", "--gpus", "5", "--", "sleep", "1000", stdout=-1, stderr=-1)
        job = re.search(rb"job-\w+", process.stderr.readline()).group().decode()
        self.assertEqual(process.stderr.readline().decode(), f"» {job} started on {self.cluster.node_names()[0]}; warning: crosses sockets\n")
        described = self.cli("jobs", "describe", job).ok().lines
        self.assertIn("Warning     crosses sockets", described)
        self.assertFalse(any("warning:" in line for line in described), "it is shown once")
        self.assertEqual(self.cli.job(job)["attempts"][0]["warning"], "crosses sockets")
        self.cli("jobs", "kill", job).ok()
        process.communicate(timeout=60)

    def test_whoever_waits_for_a_submitted_job_hears_of_its_place_too(self):
        process = self.cli.popen("jobs", "submit", "--wait", "-", stdin=-1, stdout=-1, stderr=-1)
        process.stdin.write(b"run: sleep 1000\nresources: {gpus: 5}\n")
        process.stdin.close()
        job = process.stdout.readline().decode().strip()
        self.assertEqual(process.stderr.readline().decode(), f"» {job} started on {self.cluster.node_names()[0]}; warning: crosses sockets\n")
        self.cli("jobs", "kill", job).ok()
        self.assertEqual(process.wait(60), 130)
        process.stdout.close()
        process.stderr.close()

    def test_a_job_may_demand_one_numa_node(self):
        near = self.cli.start("--gpus", "4", "--no-cross-numa", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(near)["state"] == "RUNNING", "it fits")
        self.assertFalse(self.cli.job(near)["attempts"][0].get("warning"))
        apart = self.cli.start("--gpus", "1", "--node-label", "zone=east", "--wait-for-nodes", "--allow-cross-numa", command=["true"])
        self.assertTrue(self.cli.job(apart)["spec"]["topology"]["allow_cross_numa"])
        refused = self.cli("run", "-d", "--gpus", "5", "--no-cross-numa", "--", "true")
        self.assertEqual(refused.code, 2)
        self.assertIn("no node has 5 GPUs as near to each other as its topology requires", refused.err)

    def test_quiet_it_says_nothing_while_it_waits(self):
        filler = self.cli.start("--gpus", "8", command=["sleep", "3"])
        answer = self.cli("-q", "run", "--gpus", "8", "--", "true").ok()
        self.assertEqual(answer.err, "")
        self.assertEqual(self.cli.wait(filler), 0)

    def test_interrupted_while_it_waits_it_says_that_the_job_is_still_queued(self):
        process, job, _ = self.waiting()
        process.send_signal(2)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn(f"{job} is still queued; follow: gpu-platform jobs logs -f {job}, cancel: gpu-platform jobs cancel {job}", err.decode())
        self.assert_job(job, state="QUEUED")

    def test_interrupted_while_it_is_held_it_says_that_it_waits(self):
        process, job, _ = self.waiting()
        self.cli("jobs", "hold", job).ok()
        process.send_signal(2)
        _, err = process.communicate(timeout=60)
        self.assertIn(f"{job} still waits; follow: ", err.decode())
        self.cli("jobs", "release", job).ok()

    def test_interrupted_twice_it_cancels_the_job(self):
        process, job, filler = self.waiting()
        process.send_signal(2)
        eventually(lambda: b"Ctrl-C again" in process.stderr.readline(), "it says what a second one does")
        process.send_signal(2)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assert_job(job, state="CANCELLED")
        self.assert_job(filler, state="RUNNING")

    def test_interrupted_twice_while_it_runs_it_cancels_the_job(self):
        process = self.cli.popen("run", "--gpus", "1", "--", "sleep", "1000", stdout=-1, stderr=-1)
        job = re.search(rb"job-\w+", process.stderr.readline()).group().decode()
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "the job runs")
        process.send_signal(2)
        eventually(lambda: b"Ctrl-C again" in process.stderr.readline(), "it says what a second one does")
        process.send_signal(2)
        process.communicate(timeout=60)
        self.cli.wait(job)
        self.assert_job(job, state="CANCELLED")

    def test_children_left_behind_end_with_the_job(self):
        trace = os.path.join(self.cluster.shared, "trace")
        self.run_job("sh", "-c", f"setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $! > {trace}").ok()
        self.cluster.await_empty()


if __name__ == "__main__":
    main()
