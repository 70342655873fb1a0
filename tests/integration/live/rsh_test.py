#!/usr/bin/python3
"""gpu-platform-rsh between processes that play the ranks of a job."""

import os
import pathlib
import secrets
import signal
import socket
import subprocess
import tempfile
import unittest

from live_platform import case, eventually, main

NODES = ("a", "b", "c")


class Rsh(unittest.TestCase):
    def setUp(self):
        self.program = str(pathlib.Path(case.binary).with_name("gpu-platform-rsh"))
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.token = secrets.token_hex(32)
        self.first = self.free_ports()
        self.started = []
        self.addCleanup(self.end)

    def end(self):
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    @staticmethod
    def free_ports():
        with socket.create_server(("127.0.0.1", 0)) as server:
            return server.getsockname()[1] - 6

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def rank(self, rank, *words, token=None, stdin=subprocess.DEVNULL):
        env = {"PATH": "/usr/bin:/bin", "GP_NODE_RANK": str(rank), "GP_NODE_LIST": ",".join(NODES), "GP_MASTER_ADDR": "127.0.0.1",
               "GP_PORTS": f"{self.first}-{self.first + 6}", "GP_JOB_TOKEN": token or self.token, "RSH": self.program, "DIR": self.directory.name}
        process = subprocess.Popen([self.program, *words], env=env, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.started.append(process)
        return process

    def job(self, script):
        """Rank 0 runs the script, the others follow: rank 0's output, and the exit codes of all."""
        followers = [self.rank(rank, "--follow") for rank in (1, 2)]
        leader = self.rank(0, "--lead", "sh", "-c", script)
        output, errors = leader.communicate(timeout=60)
        codes = [leader.returncode, *(one.wait(timeout=20) for one in followers)]
        return output.decode(), errors.decode(), codes

    def test_commands_run_in_the_rank_of_the_node_that_is_named(self):
        output, errors, codes = self.job('for n in a b c localhost; do $RSH $n "echo \\$GP_NODE_RANK; echo e >&2"; done; exit 5')
        self.assertEqual((output, errors, codes), ("0\n1\n2\n0\n", "e\n" * 4, [5, 0, 0]))

    def test_words_are_joined_as_ssh_does_and_its_options_are_passed_over(self):
        output, errors, _ = self.job("$RSH -x -o Batch=yes -p 22 ana@b.example.org echo '$GP_NODE_RANK' '\"a  b\"'")
        self.assertEqual((output, errors), ("1 a  b\n", ""))

    def test_input_output_and_exit_codes_come_through(self):
        output, errors, _ = self.job("head -c 5000000 /dev/urandom > $DIR/in; $RSH c cat < $DIR/in > $DIR/out; cmp $DIR/in $DIR/out && echo same;"
                                     "$RSH b exit 9; echo $?; $RSH b 'kill -9 $$'; echo $?; $RSH b ./none; echo $?; $RSH b true < /dev/null; echo $?")
        self.assertEqual(output, "same\n9\n137\n127\n0\n", errors)

    def test_many_at_once_do_not_mix(self):
        output, errors, _ = self.job("for i in $(seq 100); do $RSH b \"seq $i 2000 | md5sum\" > $DIR/$i & done; wait;"
                                     "for i in $(seq 100); do seq $i 2000 | md5sum | cmp - $DIR/$i || echo $i differs; done")
        self.assertEqual((output, errors), ("", ""))

    def test_ranks_may_start_programs_in_each_other(self):
        output, errors, _ = self.job("$RSH b '$RSH c echo from \\$GP_NODE_RANK'")
        self.assertEqual(output, "from 2\n", errors)

    def test_the_command_waits_for_all_ranks(self):
        leader = self.rank(0, "--lead", "touch", self.path("begun"))
        self.rank(1, "--follow")
        with self.assertRaises(subprocess.TimeoutExpired):
            leader.wait(timeout=0.5)
        self.assertFalse(os.path.exists(self.path("begun")))
        self.rank(2, "--follow")
        self.assertEqual(leader.wait(timeout=20), 0)
        self.assertTrue(os.path.exists(self.path("begun")))

    def test_another_jobs_rank_is_neither_counted_nor_served(self):
        leader = self.rank(0, "--lead", "sh", "-c", "touch $DIR/begun; until [ -e $DIR/end ]; do sleep 0.05; done")
        self.rank(1, "--follow")
        stranger = self.rank(2, "--follow", token="0" * 64)
        with self.assertRaises(subprocess.TimeoutExpired):
            leader.wait(timeout=0.5)
        self.assertFalse(os.path.exists(self.path("begun")))
        self.assertIsNone(stranger.poll())
        self.rank(2, "--follow")
        eventually(lambda: os.path.exists(self.path("begun")), "the command runs")
        client = self.rank(0, "b", "touch", self.path("got_in"), token="0" * 64)
        self.assertEqual(client.wait(timeout=20), 255)
        self.assertIn(b"does not answer", client.stderr.read())
        self.assertFalse(os.path.exists(self.path("got_in")))
        open(self.path("end"), "w").close()
        self.assertEqual(leader.wait(timeout=20), 0)

    def test_noise_on_the_port_does_not_matter(self):
        leader = self.rank(0, "--lead", "sh", "-c", "$RSH b echo fine")
        self.rank(1, "--follow")
        noise = []
        for bytes_sent in (b"", b"GET / HTTP/1.0\r\n\r\n" * 100, os.urandom(100_000)):
            def connected():
                try:
                    noise.append(socket.create_connection(("127.0.0.1", self.first + 6)))
                    return True
                except ConnectionRefusedError:
                    return False
            eventually(connected, "the leader listens")
            try:
                noise[-1].sendall(bytes_sent)
            except ConnectionError:
                pass
        self.rank(2, "--follow")
        output, errors = leader.communicate(timeout=20)
        self.assertEqual((output, leader.returncode), (b"fine\n", 0), errors)
        for one in noise:
            one.close()

    def test_a_rank_that_is_gone_is_said_and_its_commands_fail(self):
        followers = [self.rank(rank, "--follow") for rank in (1, 2)]
        leader = self.rank(0, "--lead", "sh", "-c", "$RSH c 'touch $DIR/up; exec sleep 1000'; echo $?; $RSH c true; echo $?")
        eventually(lambda: os.path.exists(self.path("up")), "its command runs")
        os.killpg(followers[1].pid, signal.SIGKILL)
        output, errors = leader.communicate(timeout=20)
        self.assertEqual(output, b"255\n255\n", errors)
        self.assertIn(b"rank 2 (c) is gone", errors)

    def test_a_client_that_is_gone_ends_its_command(self):
        followers = [self.rank(rank, "--follow") for rank in (1, 2)]
        leader = self.rank(0, "--lead", "sh", "-c", "$RSH b 'echo $$ > $DIR/pid; exec sleep 1000' & "
                           "until [ -s $DIR/pid ]; do sleep 0.02; done; kill -9 $!; while kill -0 $(cat $DIR/pid) 2> /dev/null; do sleep 0.02; done")
        self.assertEqual(leader.wait(timeout=20), 0)
        self.assertEqual([one.wait(timeout=20) for one in followers], [0, 0])

    def test_a_stop_lets_the_command_save_what_it_has(self):
        followers = [self.rank(rank, "--follow") for rank in (1, 2)]
        leader = self.rank(0, "--lead", "sh", "-c", "trap 'echo saved; exit 4' TERM; touch $DIR/up; while :; do sleep 0.05; done")
        eventually(lambda: os.path.exists(self.path("up")), "the command runs")
        for one in (leader, *followers):
            os.killpg(one.pid, signal.SIGTERM)
        output, _ = leader.communicate(timeout=20)
        self.assertEqual((output, leader.returncode), (b"saved\n", 4))
        self.assertEqual([one.wait(timeout=20) for one in followers], [0, 0])

    def test_a_followers_command_lives_as_long_as_the_leaders(self):
        followers = [self.rank(1, "--follow", "sh", "-c", "trap 'touch $DIR/stopped; exit 1' TERM; while :; do sleep 0.05; done"), self.rank(2, "--follow")]
        leader = self.rank(0, "--lead", "sh", "-c", "sleep 0.3")
        self.assertEqual(leader.wait(timeout=20), 0)
        self.assertEqual([one.wait(timeout=20) for one in followers], [0, 0])
        self.assertTrue(os.path.exists(self.path("stopped")))

    def test_a_followers_command_that_fails_fails_its_rank(self):
        self.rank(0, "--lead", "sleep", "1000")
        self.rank(2, "--follow")
        self.assertEqual(self.rank(1, "--follow", "sh", "-c", "exit 6").wait(timeout=20), 6)

    def test_a_stop_before_all_ranks_have_come_ends_them_at_once(self):
        ranks = [self.rank(0, "--lead", "true"), self.rank(1, "--follow", "sleep", "1000")]
        eventually(lambda: pathlib.Path(f"/proc/{ranks[0].pid}/task/{ranks[0].pid}/children").read_text(encoding="ascii").split(), "rank 0 waits for rank 2")
        for one in ranks:
            os.killpg(one.pid, signal.SIGTERM)
        leader, follower = (one.wait(timeout=10) for one in ranks)
        self.assertEqual(leader, -signal.SIGTERM)
        self.assertIn(follower, (-signal.SIGTERM, 255), "it may see first that rank 0 is gone")

    def test_a_followers_command_begins_when_all_have_come(self):
        first = self.rank(1, "--follow", "touch", self.path("begun"))
        leader = self.rank(0, "--lead", "sh", "-c", "until [ -e $DIR/begun ]; do sleep 0.02; done")
        with self.assertRaises(subprocess.TimeoutExpired):
            first.wait(timeout=0.5)
        self.assertFalse(os.path.exists(self.path("begun")))
        self.rank(2, "--follow")
        self.assertEqual(leader.wait(timeout=20), 0)

    def test_a_command_that_does_not_want_its_input_has_its_word(self):
        output, errors, _ = self.job("head -c 3000000 /dev/zero > $DIR/in; for i in 1 2 3 4 5; do $RSH b 'head -c 1 | wc -c; exit 3' < $DIR/in; echo $?; done")
        self.assertEqual((output, errors), ("1\n3\n" * 5, ""))

    def test_who_stops_reading_ends_the_command(self):
        output, errors, _ = self.job("$RSH b 'echo $$ > $DIR/pid; exec yes' | head -1; while kill -0 $(cat $DIR/pid) 2> /dev/null; do sleep 0.02; done; echo over")
        self.assertEqual(output, "y\nover\n", errors)

    def test_a_followers_command_that_does_not_stop_is_killed(self):
        follower = self.rank(1, "--follow", "sh", "-c", "trap '' TERM; while :; do sleep 0.05; done")
        self.rank(2, "--follow")
        self.assertEqual(self.rank(0, "--lead", "true").wait(timeout=20), 0)
        self.assertEqual(follower.wait(timeout=30), 0)

    def test_outside_a_job_it_says_what_is_missing(self):
        answer = subprocess.run([self.program, "b", "true"], env={"PATH": "/usr/bin:/bin"}, capture_output=True, timeout=20)
        self.assertEqual(answer.returncode, 255)
        self.assertIn(b"GP_NODE_RANK is not set", answer.stderr)


if __name__ == "__main__":
    main()
