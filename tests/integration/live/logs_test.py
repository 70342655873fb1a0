#!/usr/bin/python3
"""Logs arrive whole and once, whatever happens to controller and agent meanwhile."""

import os
import time

from live_platform import ClusterTest, eventually, main

LINES = 3000


class Logs(ClusterTest):
    def talker(self, exit_code=0):
        """A job that writes numbered lines for about three seconds, the last without a newline."""
        script = (f"n=0; while [ $n -lt {LINES} ]; do n=$((n+1)); echo line $n; "
                  f"[ $((n % 100)) = 0 ] && sleep 0.1; done; printf end; exit {exit_code}")
        job = self.cli.start("--gpus", "1", command=["sh", "-c", script])
        return job, "".join(f"line {n}\n" for n in range(1, LINES + 1)) + "end"

    def follow(self, job):
        path = os.path.join(self.cluster.directory, "followed")
        with open(path, "wb") as file:
            process = self.cli.popen("-q", "jobs", "logs", "-f", job, stdout=file)

        def finish():
            code = process.wait(timeout=60)
            with open(path) as file:
                return code, file.read()
        return finish

    def restart_often(self, daemons, start):
        for _ in range(3):
            time.sleep(0.4)
            for daemon in daemons:
                daemon.kill()
            time.sleep(0.2)
            for daemon in daemons:
                start(daemon)

    def test_follower_loses_and_doubles_nothing_while_the_controller_is_killed(self):
        job, expected = self.talker()
        finish = self.follow(job)
        self.restart_often([self.cluster.controller], lambda _: self.cluster.start_controller())
        code, seen = finish()
        self.assertEqual((code, len(seen)), (0, len(expected)))
        self.assertEqual(seen, expected)
        self.assertEqual(self.cli.wait(job), 0)

    def test_follower_loses_and_doubles_nothing_while_the_agent_is_killed(self):
        job, expected = self.talker()
        finish = self.follow(job)
        self.restart_often(self.cluster.agents, lambda agent: agent.start())
        code, seen = finish()
        self.assertEqual((code, len(seen)), (0, len(expected)))
        self.assertEqual(seen, expected)

    def test_run_gives_the_exit_code_and_all_output_over_restarts(self):
        job_file = os.path.join(self.cluster.directory, "out")
        with open(job_file, "wb") as file:
            process = self.cli.popen("-q", "run", "--gpus", "1", "--", "sh", "-c",
                                     "for n in 1 2 3 4 5 6 7 8; do echo $n; sleep 0.3; done; exit 9", stdout=file)
        self.restart_often([self.cluster.controller], lambda _: self.cluster.start_controller())
        self.assertEqual(process.wait(timeout=60), 9)
        with open(job_file) as file:
            self.assertEqual(file.read().split(), list("12345678"))

    def test_what_was_written_since_a_moment(self):
        job = self.cli.start("--gpus", "1", command=["sh", "-c", "echo old; sleep 3; date -u +%FT%TZ; echo new; sleep 1.5; echo newest; sleep 1000"])

        def logs(*flags):
            return self.cli("-q", "jobs", "logs", *flags, job).ok().out
        eventually(lambda: "newest" in logs(), "all is written")
        _, moment, *_ = everything = logs().splitlines()
        self.assertEqual(logs("--since", "1h").splitlines(), everything)
        self.assertEqual(logs("--since", moment).splitlines(), everything[1:])
        time.sleep(1.1)
        self.assertEqual(logs("--since", "1s"), "")
        self.assertIn("neither a duration", self.cli("jobs", "logs", "--since", "soon", job).err)
        self.assertNotEqual(self.cli("jobs", "logs", "--since", "1h", "--tail", "1", job).code, 0)
        self.cli("jobs", "kill", job).ok()

    def test_follower_of_a_waiting_job_gets_all_once_it_runs(self):
        filler = self.cli.start("--gpus", "8", command=["sleep", "1000"])
        job = self.cli.start("--gpus", "1", command=["sh", "-c", "echo one; sleep 0.3; echo two"])
        finish = self.follow(job)
        time.sleep(0.3)
        self.cli("jobs", "kill", filler).ok()
        self.assertEqual(finish(), (0, "one\ntwo\n"))

    def test_follower_that_is_there_before_the_program_gets_all(self):
        # The place is granted, the program not yet started: an empty log is not the end of it.
        agent, = self.cluster.agents
        agent.pause()
        job = self.cli.start("--gpus", "1", command=["echo", "late"])
        self.assert_job(job, detail="STARTING")
        finish = self.follow(job)
        time.sleep(0.3)
        agent.resume()
        self.assertEqual(finish(), (0, "late\n"))

    def test_finished_jobs_keep_their_logs(self):
        job, expected = self.talker()
        self.assertEqual(self.cli.wait(job), 0)
        self.cluster.stop()
        self.cluster.start()
        self.assertEqual(self.cli("jobs", "logs", job).ok().out, expected)
        self.assertEqual(self.cli("jobs", "logs", "--tail-bytes", "3", job).ok().out, "end")


class Streams(ClusterTest):
    def ended(self, script):
        job = self.cli.start("--gpus", "1", command=["sh", "-c", script])
        self.cli.wait(job)
        return job

    def test_both_are_shown_each_where_it_belongs(self):
        job = self.ended("echo data; echo problem >&2; exit 3")
        for words in (["jobs", "logs", job], ["jobs", "logs", "-f", job]):
            answer = self.cli("-q", *words).ok()
            self.assertEqual((answer.out, answer.err), ("data\n", "problem\n"), words)

    def test_a_job_that_writes_errors_alone_is_not_silent(self):
        self.assertIn("problem", self.cli("jobs", "logs", self.ended("echo problem >&2; exit 3")).ok().err)

    def test_one_alone_on_request(self):
        job = self.ended("echo data; echo problem >&2")
        for flag, expected in (("--stdout", "data\n"), ("--stderr", "problem\n")):
            answer = self.cli("-q", "jobs", "logs", flag, job).ok()
            self.assertEqual((answer.out, answer.err), (expected, ""), flag)
        self.assertEqual(self.cli("jobs", "logs", "--stdout", "--stderr", job).code, 2)

    def test_the_end_of_each(self):
        answer = self.cli("-q", "jobs", "logs", "--tail-bytes", "3", self.ended("echo data; echo problem >&2")).ok()
        self.assertEqual((answer.out, answer.err), ("ta\n", "em\n"))

    def test_one_that_waits_says_so_once(self):
        self.cli.start("--gpus", "8", command=["sleep", "1000"])
        answer = self.cli("jobs", "logs", self.cli.start("--gpus", "8", command=["true"]))
        self.assertEqual(answer.code, 4)
        self.assertEqual(answer.err.count("has not been started yet"), 1)

    def test_the_last_lines(self):
        job = self.cli.start("--gpus", "0", command=["sh", "-c", "for i in $(seq 30000); do echo line $i; done; printf end; echo wrong >&2"])
        self.assertEqual(self.cli.wait(job), 0)
        for count, expected in ((1, "end"), (2, "line 30000\nend"), (3, "line 29999\nline 30000\nend")):
            answer = self.cli("jobs", "logs", job, "--tail", str(count)).ok()
            self.assertEqual((answer.out, answer.err), (expected, "wrong\n"))
        whole = self.cli("jobs", "logs", job, "--stdout").ok().out
        self.assertEqual(self.cli("jobs", "logs", job, "--stdout", "--tail", "30000").ok().out, whole[len("line 1\n"):], "longer than one part")
        self.assertEqual(self.cli("jobs", "logs", job, "--stdout", "--tail", "99999").ok().out, whole)
        self.assertEqual(self.cli("jobs", "logs", job, "--tail", "1", "--tail-bytes", "3").code, 2)

    def test_all_ranks_and_all_elements(self):
        array = self.cli.start("--gpus", "0", "--array", "3", command=["sh", "-c", "echo a $GP_ARRAY_INDEX; echo b; echo wrong >&2"])
        self.assertEqual(self.cli.wait(array), 0)
        answer = self.cli("jobs", "logs", array).ok()
        self.assertEqual(answer.lines, [line for i in range(3) for line in (f"{array}[{i}]| a {i}", f"{array}[{i}]| b")])
        self.assertEqual(answer.err.splitlines(), [f"{array}[{i}]| wrong" for i in range(3)])
        self.assertEqual(len(self.cli("jobs", "logs", f"{array}[1-2]", "--stdout").ok().lines), 4)
        self.assertIn("of one job", self.cli("jobs", "logs", array, "--all-ranks").err)
        waiting = self.cli.start("--gpus", "8", "--nodes", "9", "--wait-for-nodes", command=["true"])
        self.assertEqual(self.cli("jobs", "logs", waiting, "--all-ranks").code, 4, "it has not started")
        job = self.cli.start("--gpus", "1", command=["sh", "-c", "echo rank $GP_NODE_RANK; sleep 1; printf done"])
        followed = self.cli("jobs", "logs", job, "-f", "--all-ranks").ok()
        self.assertEqual(followed.out, "0| rank 0\n0| done\n")


if __name__ == "__main__":
    main()
