#!/usr/bin/python3
"""A controller falls silent, moves, or is an old copy: agents notice, and no job is disturbed."""

import shutil
import time

from live_platform import ClusterTest, eventually, main


class Silence(ClusterTest):
    options = {"nodes": 2}

    def setUp(self):
        super().setUp()
        # A gang stops when its lease is lost.
        self.gang = self.cli.start("--nodes", "2", "--gpus", "1", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(self.gang)["detail"] == "RUNNING", "it runs")

    def each_agent_says(self, text):
        eventually(lambda: all(text in agent.text() for agent in self.cluster.agents),
                   lambda: f"{text}\n{self.cluster.logs()}")

    def assert_undisturbed(self):
        self.cluster.await_gpus()
        seen = self.cli.job(self.gang)
        self.assertEqual((seen["detail"], seen["attempt"]), ("RUNNING", 1))
        self.assertNotIn("LOST", [gpu["detail"] for _, gpu in self.cli.gpus()])

    def test_a_controller_that_was_stopped_for_a_moment_keeps_its_agents(self):
        self.cluster.controller.pause()
        self.each_agent_says("does not answer: looking for one that does")
        self.cluster.controller.resume()
        self.assert_undisturbed()
        time.sleep(2)  # heartbeats of each agent
        for agent in self.cluster.agents:
            self.assertNotIn("lost:", agent.text())

    def test_a_controller_that_was_stopped_for_longer_is_joined_again(self):
        self.cluster.controller.pause()
        time.sleep(7)  # more than half a lease, and less than a whole one
        self.cluster.controller.resume()
        self.assert_undisturbed()


class Addresses(ClusterTest):
    options = {"nodes": 1, "agent_flags": []}

    def setUp(self):
        super().setUp()
        cluster = self.cluster
        self.other = cluster.run_directory + "-2"
        here = f"unix:{cluster.run_directory}/control.sock"
        agent = cluster.agents[0]
        agent.stop()
        agent.words = [f"{here},unix:{self.other}/control.sock" if word == here else word for word in agent.words]
        agent.start()
        cluster.await_gpus()
        self.job = self.cli.start("--gpus", "1", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(self.job)["detail"] == "RUNNING", "it runs")

    def start_controller(self, **places):
        """The controller, with other directories than before."""
        for old, new in places.values():
            self.cluster.controller.words = [new if word == old else word for word in self.cluster.controller.words]
        self.cluster.controller.start()

    def test_a_controller_that_has_moved_is_found(self):
        cluster = self.cluster
        cluster.controller.stop()
        self.start_controller(run=(cluster.run_directory, self.other))
        cluster.cli.server = self.other
        eventually(lambda: cluster.cli("status").code == 0, "it answers")
        cluster.await_gpus()
        seen = self.cli.job(self.job)
        self.assertEqual((seen["detail"], seen["attempt"]), ("RUNNING", 1))

    def test_an_old_copy_of_the_journal_is_not_followed(self):
        cluster = self.cluster
        copy = cluster.state + "-copy"
        cluster.controller.stop()
        shutil.copytree(cluster.state, copy)
        for _ in range(2):
            cluster.start_controller()
            cluster.await_gpus()
            cluster.controller.stop()
        self.start_controller(state=(cluster.state, copy))
        agent = cluster.agents[0]
        eventually(lambda: "of the same journal: it was replaced, or its journal is an old copy" in agent.text(), agent.text)
        cluster.controller.stop()
        self.start_controller(state=(copy, cluster.state))
        eventually(lambda: cluster.cli("status").code == 0, "it answers")
        cluster.await_gpus()
        seen = self.cli.job(self.job)
        self.assertEqual((seen["detail"], seen["attempt"]), ("RUNNING", 1))


if __name__ == "__main__":
    main()
