#!/usr/bin/python3
"""Parts of GPUs by MPS on a real controller, real agents, daemons, servers and clients; only CUDA is played."""

import glob
import json
import os
import pathlib
import re
import signal
import subprocess

import live_platform.case
from live_platform import ClusterTest, eventually, main

ANA, BEN = 1234, 4321


def played(name):
    return str(pathlib.Path(live_platform.case.binary).parents[1] / "lib/gpu-platform" / name)


def user_of(pid):
    return os.stat(f"/proc/{pid}").st_uid


def is_alive(pid):
    """Whether it runs: a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Mps(ClusterTest):
    options = {"agent_flags": ("--gpu-memory-tolerance", "100")}

    def start(self, cli, share, *words, flags=()):
        return cli.start("--share", str(share), "--isolation", "mps", "--cpus", "1", *flags, command=[played("fake-mps-client"), *map(str, words)])

    def output(self, job):
        return self.cli("jobs", "logs", job).out

    def await_works(self, *jobs, attempt=1):
        for job in jobs:
            eventually(lambda: self.cli.job(job)["attempt"] == attempt and "works" in self.output(job),
                       lambda: f"{job} works: {self.cli.job(job)} {self.output(job)} {self.cluster.logs()}")

    def server_of(self, job):
        return int(re.findall(r"server=(\d+)", self.output(job))[-1])

    def place_of(self, job):
        rank, = self.cli.job(job)["attempts"][-1]["ranks"]
        return rank["node"], rank["gpus"][0]

    def pid_of(self, job, name="fake-mps-client", argument=None):
        """The job's own process: the one with its id in the environment.  Beside this test others may run jobs with the
        same numbers: `argument` tells its process from theirs."""
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                with open(path, "rb") as file:
                    words = file.read().split(b"\0")
                with open(os.path.dirname(path) + "/comm") as file:
                    is_it = file.read().strip() == name
                with open(os.path.dirname(path) + "/cmdline") as file:
                    is_it = is_it and (argument is None or argument in file.read().split("\0"))
            except OSError:
                continue
            if is_it and f"GP_JOB_ID={job}".encode() in words:
                return int(path.split("/")[2])
        return self.fail(f"{job} has no process")

    def directories(self):
        return sorted(os.listdir(os.path.join(self.cluster.agent_state(0), "mps")))

    def ask_daemon(self, directory, *commands):
        path = os.path.join(self.cluster.agent_state(0), "mps", directory)
        return subprocess.run([played("nvidia-cuda-mps-control")], input="\n".join(commands) + "\n", text=True, capture_output=True,
                              env={"CUDA_MPS_PIPE_DIRECTORY": path}, check=True).stdout.splitlines()

    def fault(self, job, code=31, gone_first=False):
        """A client's fatal error: the driver tells of it, its program's process is named, and its server ends them all."""
        node, gpu = self.place_of(job)
        pid = self.pid_of(job)
        os.kill(pid, signal.SIGUSR1)  # before the report: the driver reports what has happened
        if gone_first:
            eventually(lambda: not os.path.exists(f"/proc/{pid}"), "its process is gone")
        with open(self.kernel_log, "a") as log:
            log.write(f"4,1,1,-;NVRM: Xid (PCI:{self.bus_of(node, gpu)}): {code}, pid={pid}, name=fake-mps-client, Ch 00000008\n")

    def bus_of(self, node, index):
        return next(gpu["pci_bus_id"] for n, gpu in self.cli.gpus() if n["name"] == node and gpu["index"] == index)[4:-2].lower()

    def setUp(self):
        super().setUp()
        self.kernel_log = os.path.join(self.cluster.shared, "kmsg")
        open(self.kernel_log, "w").close()
        agent, = self.cluster.agents
        agent.stop()
        agent.words += ["--kernel-log", self.kernel_log]
        agent.start()
        self.cluster.await_gpus()
        self.ana, self.ben = self.cli.as_user(ANA), self.cli.as_user(BEN)

    def test_three_clients_of_one_user_share_a_server_within_their_limits(self):
        small = self.start(self.ana, 0.25, 1000)
        large = self.start(self.ana, 0.5, 30000)
        self.await_works(small, large)
        greedy = self.start(self.ana, 0.1, 9000)  # of 80 GB a tenth is less
        self.assertEqual(self.cli.wait(greedy), 6)
        self.assertIn("out of memory", self.output(greedy))
        self.assertEqual({self.place_of(job) for job in (small, large, greedy)}, {self.place_of(small)})
        self.assertEqual(self.server_of(small), self.server_of(large))
        self.assertEqual(user_of(self.server_of(small)), ANA)
        self.assertIn(" percent=25 ", self.output(small))
        # In the daemon: what the largest of its clients may have, so that no environment can be used for more.
        directory, = self.directories()
        eventually(lambda: self.ask_daemon(directory, "get_default_active_thread_percentage") == ["50.0"], "the daemon knows the limit")
        limit = int(re.findall(r"memory=(\d+)", self.output(large))[0])
        self.assertEqual(self.ask_daemon(directory, "get_default_device_pinned_mem_limit"), [f"{limit}M"])
        bold = self.start(self.ana, 0.1, "--unset", limit + 1)
        self.assertEqual(self.cli.wait(bold), 6)
        gpu = next(gpu for _, gpu in self.cli.gpus() if gpu["mode"] == "mps")
        self.assertEqual(gpu["mode"], "mps")

    def test_two_users_never_share_a_gpu(self):
        jobs = {self.start(cli, 0.1): user for cli, user in [(self.ana, ANA), (self.ben, BEN)] * 4}
        self.await_works(*jobs)
        places = {user: {self.place_of(job) for job in jobs if jobs[job] == user} for user in (ANA, BEN)}
        self.assertEqual([len(at) for at in places.values()], [1, 1])
        self.assertFalse(places[ANA] & places[BEN])
        for job, user in jobs.items():
            self.assertEqual((user_of(self.server_of(job)), user_of(self.pid_of(job))), (user, user))
        for directory in self.directories():
            path = os.path.join(self.cluster.agent_state(0), "mps", directory)
            owner = os.stat(path)
            self.assertEqual((directory.split("-")[1], owner.st_mode & 0o777), (str(owner.st_uid), 0o700))
            stranger = BEN if owner.st_uid == ANA else ANA
            self.assertNotEqual(subprocess.run(["ls", path], user=stranger, group=stranger, extra_groups=[], capture_output=True).returncode, 0)

    def test_whoever_comes_next_to_a_gpu_finds_nothing_of_the_one_before(self):
        others = self.ana.start("--gpus", "7", "--cpus", "1", command=["sleep", "1000"])
        first = self.start(self.ana, 0.5)
        self.await_works(first)
        server = self.server_of(first)
        second = self.start(self.ben, 0.5)
        self.cli("jobs", "kill", first).ok()
        self.await_works(second)
        self.assertEqual(self.place_of(first), self.place_of(second))
        self.assertFalse(is_alive(server))
        self.assertEqual(self.directories(), [f"{self.place_of(second)[1]}-{BEN}"])
        self.assert_job(others, state="RUNNING")

    def test_a_fatal_error_restarts_its_co_clients_and_nobody_else(self):
        self.check_fatal_error(gone_first=False)

    def test_a_fatal_error_of_nobody_any_more_restarts_all_clients(self):
        self.assertFalse(self.check_fatal_error(gone_first=True))

    def check_fatal_error(self, gone_first):
        """Whether the error is charged to the job that caused it."""
        named, *mates = [self.start(self.ana, 0.2) for _ in range(3)]
        alone = self.start(self.ana, 0.9)  # the same user's, on another GPU
        other = self.start(self.ben, 0.2)
        self.await_works(named, *mates, alone, other)
        self.fault(named, gone_first=gone_first)
        self.await_works(*mates, attempt=2)
        eventually(lambda: self.cli.job(named)["state"] == "FAILED" or self.cli.job(named)["attempt"] == 2, "it has failed, or starts again")
        for mate in mates:
            self.assert_job(mate, state="RUNNING", faults=1, retries_used=0)
            self.assertIn("XID 31", self.cli("jobs", "describe", mate).ok().out)
        # The error was its own, and is charged to it, where its process could still be identified when the error was read.
        is_charged = self.cli.job(named)["state"] == "FAILED"
        self.assert_job(named, **({"attempt": 1, "exit_code": 4} if is_charged else {"attempt": 2, "faults": 1}))
        for job in (alone, other):
            self.assert_job(job, state="RUNNING", attempt=1)
        incidents = json.loads(self.cli("incidents", "list", "--all", "-o", "json").ok().out)["incidents"]
        self.assertEqual([sorted(incident["jobs"]) for incident in incidents], [sorted(mates if is_charged else [named, *mates])])
        node, gpu = self.place_of(named)  # which is sound
        self.assertEqual({g["detail"] for n, g in self.cli.gpus() if (n["name"], g["index"]) == (node, gpu)} - {"ALLOCATED", "IN_USE"}, {"AVAILABLE"})
        return is_charged

    def test_a_gpu_that_fails_is_reset_after_its_daemon_and_comes_back(self):
        jobs = [self.start(self.ana, 0.2) for _ in range(2)]
        self.await_works(*jobs)
        (node, gpu), server = self.place_of(jobs[0]), self.server_of(jobs[0])
        with open(os.path.join(self.cluster.agent_state(0), "faults"), "a") as control:
            control.write(f"xid gpu={gpu} code=95\n")
        self.await_works(*jobs, attempt=2)
        self.assertNotIn((node, gpu), {self.place_of(job) for job in jobs})
        eventually(lambda: {g["detail"] for n, g in self.cli.gpus() if g["index"] == gpu} == {"AVAILABLE"}, "the GPU is back")
        self.assertFalse(is_alive(server))

    def test_a_daemon_that_is_killed_costs_its_clients_a_fault(self):
        jobs = [self.start(self.ana, 0.2) for _ in range(2)]
        other = self.start(self.ben, 0.2)
        self.await_works(*jobs, other)
        with open(f"/proc/{self.server_of(jobs[0])}/stat") as file:
            daemon = int(file.read().rpartition(")")[2].split()[1])
        os.kill(daemon, signal.SIGKILL)
        self.await_works(*jobs, attempt=2)
        for job in jobs:
            self.assert_job(job, state="RUNNING", faults=1, retries_used=0)
            self.assertIn("platform-fault: its MPS daemon failed", self.cli.job(job)["attempts"][0]["ranks"][0]["outcome"])
        self.assert_job(other, state="RUNNING", attempt=1)

    def test_a_server_that_is_killed_too(self):
        job = self.start(self.ana, 0.2)
        self.await_works(job)
        os.kill(self.server_of(job), signal.SIGKILL)
        self.await_works(job, attempt=2)
        self.assert_job(job, faults=1, retries_used=0)

    def test_daemons_outlive_their_agent_and_are_found_again(self):
        jobs = [self.start(self.ana, 0.2) for _ in range(2)]
        self.await_works(*jobs)
        server = self.server_of(jobs[0])
        agent, = self.cluster.agents
        agent.kill()
        agent.start()
        late = self.start(self.ana, 0.3)
        self.await_works(late)
        self.assertEqual(self.server_of(late), server)
        for job in jobs:
            self.assert_job(job, state="RUNNING", attempt=1)
        self.cli("jobs", "kill", *jobs, late).ok()
        eventually(lambda: not is_alive(server) and not self.directories(), "the last client was the daemon's too")

    def test_who_uses_more_memory_than_granted_is_ended_by_mps_or_in_turns(self):
        for flags in (["--isolation", "mps"], []):
            with self.subTest(flags):
                command = [played("fake-mps-client")] if flags else ["sleep", f"1000.{os.getpid()}"]
                job = self.ana.start("--gpu-memory", "2000MiB", "--cpus", "1", *flags, command=command)
                mate = self.ana.start("--gpu-memory", "2000MiB", "--cpus", "1", *flags, command=command)
                for one in (job, mate):
                    eventually(lambda: self.cli.job(one)["detail"] == "RUNNING", "it runs")
                node, gpu = self.place_of(job)
                pids = {one: self.pid_of(one, os.path.basename(command[0]), *command[1:]) for one in (job, mate)}
                with open(os.path.join(self.cluster.agent_state(0), "faults"), "a") as control:
                    control.write(f"process gpu={gpu} pid={pids[job]} memory_mib=5000\nprocess gpu={gpu} pid={pids[mate]} memory_mib=2050\n")
                self.assertEqual(self.cli.wait(job), 137)
                self.assertIn(f"used 5000 MiB of the memory of GPU {gpu}, of which it was granted 2000 MiB", self.cli("jobs", "describe", job).ok().out)
                self.assert_job(job, faults=0, attempt=1)
                self.assert_job(mate, state="RUNNING", attempt=1)
                self.cli("jobs", "kill", mate).ok()

    def test_left_open_it_is_mps_and_in_turns_where_there_is_none(self):
        job = self.ana.start("--share", "0.5", "--isolation", "auto", "--cpus", "1", command=[played("fake-mps-client")])
        self.await_works(job)
        agent, = self.cluster.agents
        self.cluster.settle()
        agent.stop()
        agent.words += ["--mps-control", "none"]
        agent.start()
        self.cluster.await_gpus()
        job = self.ana.start("--share", "0.5", "--isolation", "auto", "--cpus", "1", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", "it runs")
        self.assertEqual({gpu.get("mode") for _, gpu in self.cli.gpus() if gpu.get("mode") not in ("", "free", None)}, {"timeslice"})
        waits = self.start(self.ana, 0.5, flags=("--wait-for-nodes",))
        self.assertIn("no MPS", self.cli("jobs", "explain", waits, "-o", "wide").ok().out)


if __name__ == "__main__":
    main()
