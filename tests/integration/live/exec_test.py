#!/usr/bin/python3
"""Entering running jobs, and jobs with a terminal."""

import os
import pty
import signal
import subprocess
import threading
import time

from live_platform import ClusterTest, eventually, main


class Exec(ClusterTest):
    def start(self):
        job = self.cli.start("--gpus", "1", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "the job runs")
        return job

    def test_streams_and_exit_code_are_the_commands(self):
        job = self.start()
        answer = self.cli("jobs", "exec", job, "--", "sh", "-c", "cat; echo words >&2; exit 5", input=b"data\n")
        self.assertEqual((answer.code, answer.out, answer.err), (5, "data\n", "words\n"))

    def test_many_execs_leave_the_agent_and_the_job_alone(self):
        job = self.start()
        for number in range(20):
            self.assertEqual(self.cli("jobs", "exec", job, "--", "sh", "-c", f"exit {number}").code, number)
        self.assert_job(job, state="RUNNING", attempt=1)

    def test_large_input_and_output_pass_whole(self):
        job = self.start()
        data = b"0123456789abcdef" * 65536  # 1 MiB
        answer = self.cli("jobs", "exec", job, "--", "cat", input=data)
        self.assertEqual((answer.code, len(answer.out)), (0, len(data)))
        self.assertEqual(answer.out.encode(), data)

    def test_a_program_may_print_much_before_it_reads(self):
        job = self.start()
        answer = self.cli("jobs", "exec", job, "--", "sh", "-c", "head -c 4000000 /dev/zero | tr '\\0' x; wc -c", input=b"0123456789abcdef" * 65536)
        self.assertEqual((answer.code, answer.out.strip("x").strip(), len(answer.out) > 4000000), (0, "1048576", True))

    def test_who_interrupts_ends_a_program_that_does_not_read(self):
        job = self.start()
        process = self.cli.popen("jobs", "exec", job, "--", "sh", "-c", "echo ready; exec sleep 54321", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        feeder = threading.Thread(target=self.feed, args=(process,))
        feeder.start()
        self.assertEqual(process.stdout.readline(), b"ready\n")
        time.sleep(0.5)  # its pipe is full
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), 128 + signal.SIGINT)
        feeder.join()
        process.stdout.close()
        self.assert_job(job, state="RUNNING", attempt=1)

    def test_a_reader_who_goes_away_ends_an_interactive_job(self):
        """Its signal comes again with each write."""
        with open("/dev/null", "rb") as nothing:
            process = self.cli.popen("-q", "run", "--pty", "--gpus", "1", "--", "yes", stdin=nothing, stdout=subprocess.PIPE)
        process.stdout.read(1000)
        process.stdout.close()
        self.assertEqual(process.wait(30), 128 + signal.SIGPIPE)
        begin = time.monotonic()
        eventually(lambda: not self.cli.jobs(), "the job ends")
        self.assertLess(time.monotonic() - begin, 20, "before its node would have given up waiting")

    @staticmethod
    def feed(process):
        try:
            with process.stdin:
                process.stdin.write(bytes(1 << 20))
        except BrokenPipeError:
            pass

    def restart(self):
        self.cluster.controller.kill()
        self.cluster.start_controller()

    def test_input_and_output_pass_whole_while_controllers_restart(self):
        job = self.start()
        data = b"".join(b"%015d\n" % n for n in range(1 << 17))  # 2 MiB
        process = self.cli.popen("jobs", "exec", job, "--", "sh", "-c", "cat; exit 6", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        answer = []
        reader = threading.Thread(target=lambda: answer.extend((process.stdout.read(), process.stderr.read())))
        reader.start()
        for number in range(0, len(data), 1 << 16):
            if number in (1 << 19, 3 << 19):
                self.restart()
            process.stdin.write(data[number:number + (1 << 16)])
            process.stdin.flush()
        process.stdin.close()
        reader.join(120)
        with process:
            self.assertEqual((process.wait(), answer[1]), (6, b""))
        self.assertEqual(answer[0], data)
        self.assert_job(job, state="RUNNING", attempt=1)

    def test_a_process_that_ended_meanwhile_has_told_its_exit_code(self):
        job = self.start()
        process = self.cli.popen("jobs", "exec", job, "--", "sh", "-c", "echo ready; sleep 1; echo end; exit 7", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        self.cluster.controller.kill()
        time.sleep(2)
        self.cluster.start_controller()
        self.assertEqual((process.communicate(timeout=60)[0], process.returncode), (b"end\n", 7))

    def test_command_runs_inside_the_jobs_isolation(self):
        job = self.start()
        inside = self.cli("jobs", "exec", job, "--", "sh", "-c", "id -u; echo $CUDA_VISIBLE_DEVICES; cat /proc/self/cgroup")
        uid, uuid, *cgroups = inside.ok().out.splitlines()
        self.assertNotEqual(uid, "0")
        self.assertEqual([uuid], self.cli.job(job)["attempts"][0]["ranks"][0]["gpu_uuids"])
        self.assertTrue(any("lease-" in line for line in cgroups), cgroups)

    def test_what_cannot_be_run_says_why(self):
        job = self.start()
        answer = self.cli("jobs", "exec", job, "--", "/no/such/program")
        self.assertEqual(answer.code, 125)
        self.assertIn("/no/such/program", answer.err)

    def test_job_that_does_not_run_cannot_be_entered(self):
        job = self.cli.start("--gpus", "1", command=["true"])
        self.assertEqual(self.cli.wait(job), 0)
        answer = self.cli("jobs", "exec", job, "--", "true")
        self.assertNotEqual(answer.code, 0)
        self.assertIn("not running", answer.err)

    def test_each_rank_of_a_gang_can_be_entered(self):
        job = self.start()
        self.assertNotEqual(self.cli("jobs", "exec", "--rank", "1", job, "--", "true").code, 0)
        self.cli("jobs", "exec", "--rank", "0", job, "--", "true").ok()


class Terminal(ClusterTest):
    def test_interactive_job_has_a_terminal_and_its_exit_code(self):
        answer = self.cli("-q", "run", "--pty", "--gpus", "1", "--", "sh", "-c", "tty; exit 3")
        self.assertEqual(answer.code, 3, answer)
        self.assertRegex(answer.out, r"\A/dev/pts/\d+\r\n\Z")

    def test_keys_reach_the_program_and_its_echo_comes_back(self):
        child, terminal = pty.fork()
        if child == 0:
            os.environ["GPU_PLATFORM_SERVER"] = self.cli.server
            os.execv(self.cli.binary, ["gpu-platform", "-q", "run", "--pty", "--gpus", "1", "--",
                                       "sh", "-c", "echo ready; read line; echo got $line; exit 4"])
        self.read_until(terminal, b"ready")
        os.write(terminal, b"hello\r")
        self.read_until(terminal, b"got hello")
        _, status = os.waitpid(child, 0)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(status), 4)

    def test_an_interactive_job_goes_on_when_the_controller_restarts(self):
        child, terminal = pty.fork()
        if child == 0:
            os.environ["GPU_PLATFORM_SERVER"] = self.cli.server
            os.execv(self.cli.binary, ["gpu-platform", "-q", "run", "--pty", "--gpus", "1", "--",
                                       "sh", "-c", "echo ready; while read line; do echo got $line; [ $line = end ] && exit 4; done"])
        self.read_until(terminal, b"ready")
        for word in (b"hello", b"end"):
            self.cluster.controller.kill()
            os.write(terminal, word + b"\r")  # while there is none
            self.cluster.start_controller()
            self.read_until(terminal, b"got " + word)
        _, status = os.waitpid(child, 0)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(status), 4)
        job, = self.cli.jobs("--all")
        self.assertEqual((job["state"], job["exit_code"], job["attempt"]), ("FAILED", 4, 1))

    def test_user_who_goes_away_hangs_up(self):
        process = self.cli.popen("run", "--pty", "--gpus", "1", "--", "sh", "-c", "echo ready; sleep 1000",
                                 stdin=-1, stdout=-1, stderr=-3)
        eventually(lambda: b"ready" in os.read(process.stdout.fileno(), 4096), "the program runs")
        process.terminate()
        process.communicate()
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        eventually(lambda: not self.cli.jobs(), "the job ends, its GPU is free")
        job, = self.cli.jobs("--all")
        self.assertEqual((job["state"], job["exit_code"]), ("FAILED", 128 + signal.SIGHUP))

    def read_until(self, terminal, wanted):
        seen = b""

        def more():
            nonlocal seen
            seen += os.read(terminal, 4096)
            return wanted in seen
        eventually(more, lambda: f"{wanted} after {seen}")


if __name__ == "__main__":
    main()
