#!/usr/bin/python3
"""Clients that know the addresses of all controllers: a take-over costs them some seconds, and nothing else."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

from live_platform import Cli, ClusterTest, case, etcd, eventually, main
from live_platform.controllers import Controllers

sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../clients/python")))
import gpu_platform  # noqa: E402

LINES = 3000
SUBMITS = 20
# About a hundred lines a second.
TALKS = f"n=0; while [ $n -lt {LINES} ]; do n=$((n+1)); echo line $n; [ $((n % 20)) = 0 ] && sleep 0.15; done; exit 5"
TALK = "".join(f"line {n}\n" for n in range(1, LINES + 1))


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Reachable(Controllers):
    """Each controller has addresses of its own, which it opens when it leads."""

    def __init__(self, binary, **options):
        super().__init__(binary, **options)
        count = len(self.controllers)
        ports = free_ports(2 * count)
        self.addresses = ",".join(f"127.0.0.1:{port}" for port in ports[:count])
        self.urls = ",".join(f"http://127.0.0.1:{port}" for port in ports[count:])
        for k, controller in enumerate(self.controllers):
            controller.words += ["--listen", f"127.0.0.1:{ports[k]}", "--http", f"127.0.0.1:{ports[count + k]}"]


class Background(threading.Thread):
    """A call on a thread of its own; `value` is what it returned, or raises what it raised."""

    def __init__(self, call):
        super().__init__(daemon=True)
        self.call, self.error, self.returned = call, None, None
        self.start()

    def run(self):
        try:
            self.returned = self.call()
        except BaseException as error:  # for the test's thread
            self.error = error

    def value(self, timeout=120):
        self.join(timeout)
        assert not self.is_alive(), f"no end within {timeout} s"
        if self.error is not None:
            raise self.error
        return self.returned


class Clients(ClusterTest):
    """Three controllers; `far` calls them by all their addresses."""

    options = {"nodes": 1}

    def setUp(self):
        if etcd.missing():
            if os.environ.get("CI"):
                self.fail(etcd.missing())
            self.skipTest(etcd.missing())
        self.cluster = Reachable(case.binary, **self.options)
        self.addCleanup(self.cluster.close)
        self.cluster.start()
        self.first = self.cluster.controller
        self.secret = self.cli.json("tokens", "create", "far", "--role", "admin")["secret"]
        self.far = Cli(case.binary, self.cluster.addresses, extra={"GPU_PLATFORM_TOKEN": self.secret})
        self.client = gpu_platform.Client(self.cluster.urls, self.secret)

    def tearDown(self):
        # On a machine under load the lead may have changed once more.
        self.cluster.await_leader(other_than=None)
        super().tearDown()

    @property
    def cli(self):
        return self.cluster.cli

    def start_talk(self):
        job = self.far.start("--gpus", "1", command=["sh", "-c", TALKS])
        eventually(lambda: self.far.job(job)["detail"] == "RUNNING", "it runs")
        return job

    def run_far(self, *words):
        """Exit code, output and messages of a command in the background."""
        process = self.far.popen(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return Background(lambda: (*map(bytes.decode, process.communicate()), process.returncode))

    def submit_all(self, acknowledged):
        for number in range(SUBMITS):
            acknowledged.append(self.client.submit(["true"], gpus=0, name=f"one-{number}", directory="/").id)

    def note_changes(self, ids, ended):
        """The ids of all changes until the job has ended."""
        for event in self.client.events(["job"]):
            ids.append((event.kind, event.id, event.data.get("object") if isinstance(event.data, dict) else None))
            if ended.is_set():
                return

    def all_go_on(self, end_leader):
        job = self.start_talk()
        acknowledged, changes, over = [], [], threading.Event()
        waits = self.run_far("jobs", "wait", job)
        follows = self.run_far("jobs", "logs", "-f", job)
        runs = self.run_far("run", "--gpus", "1", "--", "sh", "-c", TALKS)
        waits_too = Background(lambda: self.client.job(job).wait().exit_code)
        follows_too = Background(lambda: "".join(self.client.job(job).follow()))
        watches = Background(lambda: self.note_changes(changes, over))
        submits = Background(lambda: self.submit_all(acknowledged))
        eventually(lambda: len(acknowledged) > 4, "jobs are acknowledged")
        end_leader()
        submitted = self.far("-q", "run", "-d", "--name", "from-the-line", "--gpus", "0", "--", "true").ok()
        queue = self.far("queues", "set", "made-meanwhile", "--weight", "2").ok()
        self.assertEqual((submitted.err, queue.code), ("", 0))
        self.cluster.await_leader(other_than=self.first)
        submits.value()
        self.assertEqual(follows.value(), (TALK, "", 0))
        self.assertEqual(waits.value()[2], 5)
        out, _, code = runs.value()
        self.assertEqual((out, code), (TALK, 5))
        self.assertEqual((waits_too.value(), follows_too.value()), (5, TALK))
        self.assert_once(acknowledged, submitted.out.strip())
        over.set()
        self.far("run", "-d", "--gpus", "0", "--", "true").ok()  # the last change
        watches.value()
        self.assertEqual([kind for kind, _, _ in changes if kind == "missed"], [])
        self.assertLessEqual(set(acknowledged), {job for _, _, job in changes}, "no change is missing")
        ids = [one for _, one, _ in changes if one]
        self.assertEqual(len(ids), len(set(ids)), "no change is doubled")

    def assert_once(self, acknowledged, submitted):
        names = {job["id"]: job["spec"]["name"] for job in self.far.json("jobs", "list", "--all")["jobs"]}
        self.assertEqual([names[job] for job in acknowledged], [f"one-{number}" for number in range(SUBMITS)])
        self.assertEqual(names[submitted], "from-the-line")
        mine = [name for name in names.values() if name.startswith("one-") or name == "from-the-line"]
        self.assertEqual(len(mine), SUBMITS + 1, "no job is there twice")

    def test_all_go_on_when_the_leader_is_killed(self):
        self.all_go_on(lambda: self.first.kill())

    def test_all_go_on_when_the_leader_is_stopped(self):
        self.all_go_on(lambda: self.assertEqual(self.first.stop(), 0))

    def enter(self):
        """A process inside a job, which talks and has begun."""
        job = self.far.start("--gpus", "1", command=["sleep", "1000"])
        eventually(lambda: self.far.job(job)["detail"] == "RUNNING", "it runs")
        process = self.far.popen("jobs", "exec", job, "--", "sh", "-c", TALKS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"line 1\n")
        return process

    def assert_told_all(self, process):
        with process:
            out, errors = process.stdout.read(), process.stderr.read()
        self.assertEqual((process.returncode, errors.decode()), (5, ""))
        self.assertEqual("line 1\n" + out.decode(), TALK)

    def test_a_process_inside_a_job_goes_on_at_the_next_leader(self):
        process = self.enter()
        self.first.kill()
        self.cluster.await_leader(other_than=self.first)
        self.assert_told_all(process)

    def test_a_leader_that_hangs_is_left(self):
        job = self.start_talk()
        waits = self.run_far("jobs", "wait", job)
        follows = self.run_far("jobs", "logs", "-f", job)
        waits_too = Background(lambda: self.client.job(job).wait().exit_code)
        follows_too = Background(lambda: "".join(self.client.job(job).follow()))
        entered = self.enter()
        self.far("status").ok()
        self.first.pause()
        try:
            self.cluster.await_leader(other_than=self.first)
            self.far("queues", "set", "made-meanwhile").ok()
            self.assert_told_all(entered)
            self.assertEqual(follows.value(), (TALK, "", 0))
            self.assertEqual(waits.value()[2], 5)
            self.assertEqual((waits_too.value(), follows_too.value()), (5, TALK))
        finally:
            self.first.resume()
        eventually(lambda: not self.first.runs(), "it stops by itself")

    def test_a_login_has_all_addresses(self):
        home = os.path.join(self.cluster.directory, "home")
        os.makedirs(home, mode=0o700)
        cli = Cli(case.binary, "", extra={"HOME": home, "XDG_CONFIG_HOME": ""})
        told = cli("login", self.cluster.addresses, input=self.secret.encode() + b"\n").ok()
        self.assertIn(self.cluster.addresses, told.err)
        self.first.kill()
        self.assertIn("root", cli("whoami").ok().out)
        one = self.cluster.addresses.split(",")[self.cluster.controllers.index(self.cluster.await_leader(self.first))]
        self.assertIn("root", cli("--server", one, "whoami").ok().out, "the login is also for one of them")
        self.assertNotEqual(cli("--server", one + ",10.0.0.1:7070", "whoami").code, 0, "and for no other place")

    def test_commands_without_a_controller_say_so_in_time(self):
        job = self.start_talk()
        silent = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        for one in silent:
            self.addCleanup(one.close)
        addresses = ",".join(f"127.0.0.1:{one.getsockname()[1]}" for one in silent)
        nobody = Cli(case.binary, addresses, extra={"GPU_PLATFORM_TOKEN": self.secret})
        begun = time.monotonic()
        waited = nobody("jobs", "wait", job, "--timeout", "1s")
        self.assertEqual(waited.code, 7, waited.err)
        self.assertLess(time.monotonic() - begun, 3)
        self.assertIn("no controller has said", waited.err)
        for one in silent:
            one.close()
        inside = nobody("jobs", "exec", job, "--", "true")
        self.assertEqual(inside.code, 8, inside.err)
        self.assertIn(f"nothing was started in {job}: no controller answers at any of", inside.err)

    def test_a_second_interrupt_while_addresses_are_silent_keeps_the_job(self):
        run = self.far.popen("run", "--gpus", "1", "--", "sh", "-c", TALKS, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
        job = re.search(rb"job-\w+", run.stderr.readline()).group().decode()
        eventually(lambda: self.far.job(job)["detail"] == "RUNNING", "it runs")
        for one in self.cluster.controllers:
            one.pause()
        try:
            run.send_signal(signal.SIGINT)
            eventually(lambda: run.stderr.readline() == b"\n", "the first one is noticed")
            run.send_signal(signal.SIGINT)
            _, err = run.communicate(timeout=2)
            self.assertEqual(run.returncode, 130, err)
            self.assertIn(b"cancel: gpu-platform jobs cancel " + job.encode(), err)
            self.assertNotIn(b"Ctrl-C again", err)
        finally:
            for one in self.cluster.controllers:
                one.resume()
        eventually(lambda: self.far("jobs", "describe", job).code == 0, "somebody leads")
        self.assertIn(self.far.job(job)["detail"], ("RUNNING", "FAILED"), "it was not cancelled")


if __name__ == "__main__":
    main()
