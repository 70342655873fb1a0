#!/usr/bin/python3
"""examples/tasks.py: a program that is started once for each GPU, on one node and several."""

import pathlib
import re
import shutil

from live_platform import ClusterTest, eventually, main

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


if __name__ == "__main__":
    main()
