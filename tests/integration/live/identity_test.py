#!/usr/bin/python3
"""GPUs that vanish, return and are exchanged, and machines with a taken name: what is known of a card stays with it."""

import json
import os
import re
import subprocess

from live_platform import ClusterTest, eventually, main

MACHINES = os.path.join(os.path.dirname(__file__), "../../../data/machines")


class Identity(ClusterTest):
    options = {"nodes": 1}

    def machine_without(self, *gone):
        """The path of a machine file like that of the cluster's node, without the GPUs at these positions."""
        with open(os.path.join(MACHINES, "dgx-h100.yaml"), encoding="utf-8") as file:
            head, gpus = file.read().split("\ngpus:\n")
        entries = re.split(r"(?m)^(?=  - \{)", gpus)
        kept = [entry for i, entry in enumerate(entry for entry in entries if entry.startswith("  - {")) if i not in gone]
        path = os.path.join(self.cluster.directory, f"without-{'-'.join(map(str, gone))}.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(head + "\ngpus:\n" + "".join(kept))
        return path

    def restart_agent_as(self, machine):
        agent = self.cluster.agents[0]
        agent.stop()
        agent.words[agent.words.index("--simulate") + 1] = machine
        agent.start()

    def gpus(self):
        return {gpu["index"]: gpu for _, gpu in self.cli.gpus()}

    def incidents(self):
        return json.loads(self.cli("incidents", "list", "-o", "json").ok().out).get("incidents", [])

    def test_marks_follow_the_card(self):
        node = self.cluster.node_names()[0]
        marked = self.gpus()[3]["uuid"]
        self.cli("offline", "--gpu-id", f"{node}/3", "--reason", "burnt smell").ok()
        self.restart_agent_as(self.machine_without(0))
        eventually(lambda: self.gpus()[0]["detail"] == "LOST", lambda: f"GPU 0 is missing: {self.gpus()[0]}")
        card = self.gpus()[3]
        self.assertEqual((card["uuid"], card["detail"]), (marked, "OFFLINE"))
        self.assertIn("burnt smell", card["reason"])
        missing, = self.incidents()
        self.assertEqual((missing["cause"], missing["uuid"]), ("it is missing", self.gpus()[0]["uuid"]))
        eventually(lambda: self.gpus()[1]["detail"] == "AVAILABLE", "the others are in service")
        job = self.cli.start("--gpus", "6", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", "six are left")
        self.assertNotIn(3, self.cli.job(job)["attempts"][-1]["ranks"][0]["gpus"])
        self.assertEqual(self.cli("jobs", "logs", job).code, 0)

    def test_a_lost_gpu_does_not_keep_its_node_out(self):
        jobs = [self.cli.start("--gpus", "1", command=["sleep", "1000"]) for _ in range(3)]
        eventually(lambda: all(self.cli.job(job)["detail"] == "RUNNING" for job in jobs), "all run")
        held = {job: self.cli.job(job)["attempts"][-1]["ranks"][0] for job in jobs}
        free = max(set(range(8)) - {gpu for rank in held.values() for gpu in rank["gpus"]})
        self.restart_agent_as(self.machine_without(free))
        eventually(lambda: self.gpus()[free]["detail"] == "LOST", "it is missing")
        for job in jobs:
            self.assert_job(job, detail="RUNNING", attempt=1)
            self.assertEqual(self.cli.job(job)["attempts"][-1]["ranks"][0]["gpu_uuids"], held[job]["gpu_uuids"])
        self.cli("jobs", "kill", jobs[0]).ok()
        eventually(lambda: self.cli.job(jobs[0])["state"] == "CANCELLED", "it can be killed")

    def test_only_the_job_on_the_missing_gpu_is_ended(self):
        jobs = [self.cli.start("--gpus", "1", command=["sleep", "1000"]) for _ in range(2)]
        eventually(lambda: all(self.cli.job(job)["detail"] == "RUNNING" for job in jobs), "both run")
        places = [self.cli.job(job)["attempts"][-1]["ranks"][0]["gpus"][0] for job in jobs]
        self.restart_agent_as(self.machine_without(places[0]))
        eventually(lambda: self.cli.job(jobs[0])["attempt"] == 2 and self.cli.job(jobs[0])["detail"] == "RUNNING",
                   lambda: f"it goes on elsewhere: {self.cli.job(jobs[0])}")
        self.assertNotEqual(self.cli.job(jobs[0])["attempts"][-1]["ranks"][0]["gpus"][0], places[0])
        self.assert_job(jobs[1], detail="RUNNING", attempt=1)
        self.restart_agent_as("dgx-h100")
        eventually(lambda: self.gpus()[places[0]]["detail"] == "AVAILABLE", lambda: f"it is back: {self.gpus()[places[0]]}")
        eventually(lambda: not self.incidents(), "its incident is over")

    def test_who_needs_the_missing_gpu_is_told_so(self):
        node = self.cluster.node_names()[0]
        self.restart_agent_as(self.machine_without(0))
        eventually(lambda: [self.gpus()[i]["detail"] for i in range(8)] == ["LOST"] + 7 * ["AVAILABLE"], lambda: f"GPU 0 is missing: {self.gpus()}")
        incident, = self.incidents()
        cause = f"GPU 0 of {node} is missing ({incident['id']})"
        job = self.cli.start("--gpus", "8", command=["true"])
        told = json.loads(self.cli("jobs", "explain", job, "-o", "json").ok().out)
        self.assertEqual(told["reasons"][0]["code"], "GpusOutOfService")
        self.assertEqual(told["reasons"][0]["text"], f"waits for 8 GPUs: 7 free, 0 of 1 node could take a rank now; {cause}")
        self.assertEqual([row["why"] for row in told["nodes"]], ["GPU 0 is missing"])
        self.assertIn(cause, self.cli("jobs", "explain", job).ok().out)
        self.assert_job(job, reason_code="GpusOutOfService")
        self.restart_agent_as("dgx-h100")
        self.cli.wait(job)
        self.assert_job(job, state="COMPLETED")

    def intruder(self, name, node_index):
        """An agent of another machine, which the controller refuses."""
        agent = subprocess.Popen(
            [self.cluster.binary, "agent", "--simulate", "dgx-h100", "--node-index", str(node_index), "--name", name,
             "--controller", f"unix:{self.cluster.run_directory}/control.sock",
             "--join-token-file", f"{self.cluster.state}/join-token", "--state", os.path.join(self.cluster.directory, "intruder")],
            stderr=subprocess.PIPE, text=True)

        def end():
            agent.kill()
            agent.communicate()
        self.addCleanup(end)
        return agent

    def assert_refused(self, intruder, says, cause):
        """It prints why, an incident shows the refusal, and the node that was there works on."""
        uuids = {gpu["uuid"] for gpu in self.gpus().values()}
        self.assertTrue(any(says in line for line in intruder.stderr), says)
        eventually(lambda: any(cause in one["cause"] for one in self.incidents()), "an incident says so")
        self.assertEqual({gpu["uuid"] for gpu in self.gpus().values()}, uuids)
        job = self.cli.start("--gpus", "8", command=["true"])
        self.cli.wait(job)
        self.assert_job(job, state="COMPLETED")

    def test_a_second_machine_of_the_same_name_is_refused(self):
        node = self.cluster.node_names()[0]
        self.assert_refused(self.intruder(node, 3), "another machine is node", f"two machines are named {node}")

    def test_a_machine_with_gpus_of_a_node_that_answers_is_refused(self):
        node = self.cluster.node_names()[0]
        uuid = self.gpus()[0]["uuid"]
        self.assert_refused(self.intruder("renamed", 0), f"node renamed: GPU {uuid} is in node {node}, which answers",
                            f"GPU {uuid} is in two nodes: {node} and renamed")
        self.assertEqual(self.cluster.node_names(), [node])


if __name__ == "__main__":
    main()
