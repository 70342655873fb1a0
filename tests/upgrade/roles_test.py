#!/usr/bin/python3
"""The last release and this program side by side: controllers, agents and clients of both, in every mixture, and an upgrade of one
after the other under a running gang.

  roles_test.py --released FILE --binary FILE [unittest's arguments]
"""

import argparse
import itertools
import os
import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "integration")]

from live_platform import Cli, eventually  # noqa: E402
from live_platform.cluster import Cluster  # noqa: E402

programs = {}  # "old", "new"


def cluster_of(controller, agent, client):
    cluster = Cluster(programs[controller], machine="dgx-h100", nodes=2, serve_flags=("--http", "127.0.0.1:0"))
    for daemon in cluster.agents:
        daemon.words[0] = programs[agent]
    cluster.cli = Cli(programs[client], cluster.run_directory)
    return cluster


class Mixtures(unittest.TestCase):
    def day(self, cluster):
        """What a user and an admin do on a day."""
        cli = cluster.cli
        job = cli.start("--gpus", "2", "--name", "hello", command=["sh", "-c", "echo hello; nvidia-smi -L | wc -l"])
        self.assertEqual(cli.wait(job), 0)
        self.assertEqual(cli("jobs", "logs", job).ok().out.split()[0], "hello")
        gang = cli.start("--nodes", "2", "--gpus", "8", command=["sleep", "1000"])
        eventually(lambda: cli.job(gang)["state"] == "RUNNING", lambda: f"the gang runs\n{cluster.logs()}")
        self.assertEqual(cli("jobs", "exec", gang, "--", "echo", "inside").ok().out.strip(), "inside")
        behind = cli.start("--gpus", "1", command=["true"])
        self.assertIn("GPU", cli("jobs", "explain", behind).ok().out)
        cli("jobs", "hold", behind).ok()
        cli("jobs", "release", behind).ok()
        cli("jobs", "cancel", gang).ok()
        self.assertEqual(cli.wait(behind), 0)
        self.assertEqual(cli.job(gang)["state"], "CANCELLED")
        cli("queues", "set", "prod", "--weight", "3").ok()
        cli("drain", "--node", "dgx-h100-0").ok()
        cli("online", "--node", "dgx-h100-0").ok()
        failing = cli.start("--gpus", "1", command=["sh", "-c", "exit 3"])
        eventually(lambda: cli.job(failing)["state"] == "FAILED", "it fails")
        for command in (("status",), ("nodes", "list"), ("jobs", "list"), ("usage",), ("metrics",)):
            cli(*command).ok()

    def test_every_mixture(self):
        for roles in itertools.product(("old", "new"), repeat=3):
            if len(set(roles)) == 1:
                continue
            with self.subTest(controller=roles[0], agent=roles[1], client=roles[2]):
                cluster = cluster_of(*roles)
                self.addCleanup(cluster.close)
                cluster.start()
                self.day(cluster)
                cluster.settle()
                self.assertEqual(set(cluster.stop()), {0}, cluster.logs())
                cluster.close()


class Upgrade(unittest.TestCase):
    def test_one_after_the_other_under_a_running_gang(self):
        cluster = cluster_of("old", "old", "old")
        self.addCleanup(cluster.close)
        cluster.start()
        gang = cluster.cli.start("--nodes", "2", "--gpus", "3", command=["sh", "-c", "while :; do echo beat; sleep 0.2; done"])
        eventually(lambda: cluster.cli.job(gang)["state"] == "RUNNING", cluster.logs)
        leases = self.attempts(cluster, gang)
        for daemon in (cluster.controller, *cluster.agents):
            self.assertEqual(daemon.stop(), 0)
            daemon.words[0] = programs["new"]
            if daemon is cluster.controller:
                cluster.start_controller()
            else:
                daemon.start()
            cluster.await_gpus()
            self.assertEqual(self.attempts(cluster, gang), leases, "it runs on")
            self.assertEqual(cluster.cli("jobs", "exec", gang, "--", "echo", "inside").ok().out.strip(), "inside")
        cluster.cli = Cli(programs["new"], cluster.run_directory)
        self.assertEqual(self.attempts(cluster, gang), leases)
        before = self.beats(cluster, gang)
        eventually(lambda: all(now > was for now, was in zip(self.beats(cluster, gang), before)), "both ranks write on")
        self.assertEqual(self.attempts(cluster, gang), leases, "in the same attempt, on the same GPUs")
        cluster.cli("jobs", "cancel", gang).ok()
        eventually(lambda: cluster.cli.job(gang)["state"] == "CANCELLED", cluster.logs)
        cluster.settle()
        self.assertEqual(set(cluster.stop()), {0}, cluster.logs())
        self.assertEqual(cluster.replay()["differences"], [])

    def attempts(self, cluster, job):
        document = cluster.cli.job(job)
        self.assertEqual(document["state"], "RUNNING", cluster.logs())
        return [(attempt["number"], attempt["started_at"], attempt["ranks"]) for attempt in document["attempts"]]

    def beats(self, cluster, job):
        return [cluster.cli("jobs", "logs", job, "--rank", str(rank)).ok().out.count("beat") for rank in range(2)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--released", required=True, help="gpu-platform of the last release")
    parser.add_argument("--binary", required=True, help="gpu-platform of this tree")
    options, rest = parser.parse_known_args()
    programs.update(old=os.path.abspath(options.released), new=os.path.abspath(options.binary))
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
