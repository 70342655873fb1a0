#!/usr/bin/python3
"""A program that is started once for each GPU, on one node and several: by examples/tasks.py, and by the launcher that a job names."""

import os
import pathlib
import re
import shutil
import signal
import socket

from live_platform import ClusterTest, eventually, main
from live_platform.images import make_image

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Launchers(ClusterTest):
    options = {"nodes": 2}

    def setUp(self):
        super().setUp()
        self.place = pathlib.Path(self.cluster.shared, "examples")  # the checkout may be closed to the jobs' user
        shutil.copytree(ROOT / "examples", self.place)

    def start(self, script, *flags):
        return self.cli.start("--workdir", str(self.place), *flags, command=["python3", "-B", "tasks.py", "sh", "-c", script])

    def written(self, job, rank):
        return self.cli("jobs", "logs", job, "--rank", rank).ok().lines

    def test_the_example_starts_a_task_for_each_gpu_of_its_nodes(self):
        job = self.cli("-q", "jobs", "submit", str(self.place / "tasks.gpu.yaml"), "--set", f"workdir={self.place}").ok().out.strip()
        self.assertEqual(self.cli.wait(job), 0, self.cli("jobs", "logs", job, "--stderr").out)
        seen = [(node, *map(int, re.match(r"task (\d) of 4, GPU (\d) of node (\d); they meet at \S+:\d+$", line).groups()))
                for node in (0, 1) for line in self.written(job, node)]
        self.assertEqual(sorted(seen), [(0, 0, 0, 0), (0, 1, 1, 0), (1, 2, 0, 1), (1, 3, 1, 1)])

    def test_one_that_fails_ends_all_of_them(self):
        job = self.start("[ $RANK = 3 ] && exit 7; exec sleep 1000", "--nodes", "2", "--gpus", "2")
        self.assertEqual(self.cli.wait(job), 7, self.cli.job(job))

    def test_a_signal_reaches_all_of_them(self):
        job = self.start("trap 'echo $RANK is stopped; exit 0' TERM; echo up; while :; do sleep 0.1; done", "--gpus", "3")
        eventually(lambda: self.written(job, 0) == ["up"] * 3, "all tasks run")
        self.cli("jobs", "cancel", job).ok()
        self.cli.wait(job)
        self.assertEqual(sorted(self.written(job, 0)[3:]), [f"{rank} is stopped" for rank in range(3)])

    def test_without_gpus_there_is_one_unless_more_are_asked_for(self):
        one = self.start("echo $RANK of $WORLD_SIZE", "--gpus", "0")
        self.assertEqual(self.cli.wait(one), 0)
        self.assertEqual(self.written(one, 0), ["0 of 1"])
        command = ["python3", "-B", "tasks.py", "--per-node", "4", "sh", "-c", "echo $LOCAL_RANK of $LOCAL_WORLD_SIZE"]
        four = self.cli.start("--workdir", str(self.place), "--gpus", "0", command=command)
        self.assertEqual(self.cli.wait(four), 0)
        self.assertEqual(sorted(self.written(four, 0)), [f"{local} of 4" for local in range(4)])


# A stand-in for mpirun: starts the command in each rank by the agent that Open MPI would use, in turn.
MPIRUN = """#!/bin/sh
[ "$1" = --host ] || exit 90
echo "args $*"; IFS=,; hosts=$2; shift 4
for host in $hosts; do $OMPI_MCA_plm_rsh_agent ${host%%:*} "$@" || exit; done
"""

# A stand-in for ray, which cannot be installed here: says what it was called with, and stays where the real one would.
RAY = """#!/bin/sh
echo "$GP_NODE_RANK: $*" >> $CALLS
case "$*" in *--block) exec sleep 1000;; esac
"""


class LauncherOfAJob(ClusterTest):
    options = {"nodes": 2}

    def setUp(self):
        super().setUp()
        self.place = pathlib.Path(self.cluster.shared, "bin")
        self.place.mkdir()

    def program(self, name, text):
        path = self.place / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def start(self, launcher, *flags, command, gpus=2, env=()):
        paths = f"PATH={self.place}:/usr/bin:/bin"
        return self.cli.start("--launcher", launcher, "--nodes", "2", "--gpus", str(gpus), *flags,
                              *(word for one in (paths, *env) for word in ("--env", one)), command=command)

    def output(self, job, rank=0):
        return self.cli("jobs", "logs", job, "--rank", rank).ok().lines

    def errors(self, job):
        return [self.cli("jobs", "logs", job, "--stderr", "--rank", rank).out for rank in (0, 1)]

    # Both simulated nodes are this host, which Open MPI would otherwise notice, and share memory that the ranks do not share.
    ON_ONE_HOST = tuple(f"OMPI_MCA_{name}" for name in ("btl=tcp,self", "btl_tcp_if_include=lo", "oob_tcp_if_include=lo"))

    def test_open_mpi_runs_on_all_gpus_of_two_nodes(self):
        program = self.program("sum.py", (ROOT / "tests/integration/mpi_sum.py").read_text())
        job = self.start("mpi", command=["python3", "-B", program], env=self.ON_ONE_HOST)
        self.assertEqual(self.cli.wait(job, timeout="120s"), 0, self.errors(job))
        seen = sorted(re.match(r"rank (\d) of 4 in (\d): sum (\d), (.*)$", line).groups() for line in self.output(job))
        self.assertEqual([one[:3] for one in seen], [("0", "0", "6"), ("1", "0", "6"), ("2", "1", "6"), ("3", "1", "6")])
        self.assertEqual(seen[0][3].count("GPU-"), 2)
        self.assertNotEqual(seen[0][3], seen[2][3], "each process has the GPUs of its own node")
        self.assert_job(job, state="COMPLETED", attempt=1)

    def test_a_program_that_fails_under_open_mpi_fails_the_job(self):
        job = self.start("mpi", command=["sh", "-c", "[ $OMPI_COMM_WORLD_RANK != 3 ] || exit 7; exec sleep 1000"], env=self.ON_ONE_HOST)
        self.assertEqual(self.cli.wait(job, timeout="120s"), 7, self.errors(job))

    def test_the_agent_of_mpi_reaches_the_ranks_of_its_own_job(self):
        self.program("mpirun", MPIRUN)
        job = self.start("mpi", command=["echo", "in", "$GP_NODE_RANK", "of", "$GP_JOB_ID"])
        self.assertEqual(self.cli.wait(job), 0, self.errors(job))
        nodes = [rank["node"] for rank in self.cli.job(job)["attempts"][0]["ranks"]]
        self.assertEqual(self.output(job), [f"args --host {nodes[0]}:2,{nodes[1]}:2 -np 4 echo in $GP_NODE_RANK of $GP_JOB_ID",
                                            f"in 0 of {job}", f"in 1 of {job}"])

    def test_ranks_in_an_image_reach_each_other(self):
        image = os.path.join(self.cluster.directory, "image")
        make_image(image)
        pathlib.Path(image, "bin/mpirun").write_text(MPIRUN)
        os.chmod(f"{image}/bin/mpirun", 0o755)
        job = self.start("mpi", "--image", f"dir:{image}", command=["cat", "/of-the-image", ";", "echo", "$GP_NODE_RANK"])
        self.assertEqual(self.cli.wait(job), 0, self.errors(job))
        self.assertEqual(self.output(job)[1:], ["yes", "0", "yes", "1"])

    def test_another_job_is_not_reached(self):
        self.program("mpirun", MPIRUN)
        mark = os.path.join(self.cluster.shared, "ports")
        os.mkfifo(mark)
        os.chmod(mark, 0o666)
        other = self.start("mpi", gpus=1, command=["sh", "-c", f"'echo $GP_PORTS > {mark}; exec sleep 1000'"])
        ports = pathlib.Path(mark).read_text().strip()
        job = self.start("mpi", gpus=1, command=["sh", "-c", f"'GP_PORTS={ports} exec $GP_RSH localhost echo got there'"])
        self.assertEqual(self.cli.wait(job), 255, self.output(job))
        self.assertIn("does not answer", "".join(self.errors(job)))
        self.assertEqual(self.cli.job(other)["state"], "RUNNING")

    def test_the_job_ends_with_rank_zero(self):
        self.program("mpirun", "#!/bin/sh\nexit 3\n")
        job = self.start("mpi", command=["true"])
        self.assertEqual(self.cli.wait(job), 3, self.errors(job))

    def test_a_rank_that_is_gone_ends_the_job(self):
        self.program("mpirun", MPIRUN)
        job = self.start("mpi", command=["echo up; exec sleep 1000"])
        eventually(lambda: "up" in self.output(job), "rank 0 runs the command")
        # The end of the rank may reach the shell before it has ended itself.
        self.assertIn(self.cli("jobs", "exec", job, "--rank", "1", "--", "sh", "-c", "kill -KILL 2").code, (0, 128 + signal.SIGKILL))
        self.assertNotEqual(self.cli.wait(job), 0)
        self.assert_job(job, state="FAILED")

    def test_nobody_reads_the_token(self):
        self.program("mpirun", MPIRUN)
        job = self.start("mpi", command=["echo token $GP_JOB_TOKEN; exec sleep 1000"])
        eventually(lambda: any(line.startswith("token") for line in self.output(job)), "it says its token")
        token = next(line for line in self.output(job) if line.startswith("token")).split()[1]
        self.assertRegex(token, "^[0-9a-f]{64}$")
        lines = [path.read_bytes() for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
        self.assertFalse([line for line in lines if token.encode() in line])
        self.assertNotIn(token, self.cli("jobs", "describe", job, "-o", "json").out)
        self.assertEqual([path for path in pathlib.Path(self.cluster.state).rglob("*")
                          if path.is_file() and not path.name.endswith(".out") and token.encode() in path.read_bytes()], [])

    def test_a_ray_cluster_lives_as_long_as_the_command(self):
        calls = pathlib.Path(self.cluster.shared, "calls")
        self.program("ray", RAY)
        job = self.start("ray", command=["sh", "-c", "until grep -q '^1:' $CALLS; do sleep 0.05; done; echo $RAY_ADDRESS"], env=(f"CALLS={calls}",))
        self.assertEqual(self.cli.wait(job), 0, self.errors(job))
        address = self.output(job)[0]
        host, port = address.split(":")
        seen = sorted(calls.read_text().splitlines())
        self.assertEqual(seen, [f"0: start --head --port={port} --num-gpus=2 --temp-dir=/tmp/ray --ray-client-server-port={int(port) + 1} "
                                "--include-dashboard=false --disable-usage-stats", "0: stop",
                                f"1: start --address={address} --num-gpus=2 --disable-usage-stats --block"])
        self.assert_job(job, state="COMPLETED", attempt=1)


class Ports(ClusterTest):
    options = {"nodes": 2}

    def meeting(self, *flags):
        job = self.cli.start(*flags, command=["sh", "-c", "echo $MASTER_PORT $GP_PORTS $PET_MASTER_PORT"])
        self.assertEqual(self.cli.wait(job), 0, self.cli("jobs", "logs", job, "--stderr").out)
        ranks = len(self.cli.job(job)["attempts"][0]["ranks"])
        return [self.cli("jobs", "logs", job, "--rank", rank).ok().out.split() for rank in range(ranks)]

    def test_all_ranks_meet_at_ports_that_are_free(self):
        first, second = self.meeting("--nodes", "2")
        self.assertEqual(first, second)
        port, leased, torchrun = first
        self.assertEqual((leased, torchrun), (f"{port}-{int(port) + 6}", port))
        following = int(port) + 8  # the next job prefers the next block
        with socket.create_server(("127.0.0.1", following + 3)):
            third, fourth = self.meeting("--nodes", "2")
        self.assertEqual(third, fourth)
        self.assertNotIn(int(third[0]), range(following, following + 8))

    def test_a_rank_alone_has_ports_too(self):
        (alone,) = self.meeting()
        self.assertEqual(alone[1], f"{alone[0]}-{int(alone[0]) + 6}")


if __name__ == "__main__":
    main()
