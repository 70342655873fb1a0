#!/usr/bin/python3
"""A card falls off the bus, and the driver renumbers the others for every process that begins after it: those that
the agent begins for a GPU still reach the GPU that has its UUID."""

import os
import shutil
import tempfile

from live_platform import ClusterTest, eventually, main

LOST, GPU, NEXT = 2, 3, 4  # positions in the machine file, and indexes that people see


class Renumbering(ClusterTest):
    flags = ()

    def setUp(self):
        directory = tempfile.mkdtemp(prefix="gp-test-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, directory)
        self.book = os.path.join(directory, "tested")
        program = os.path.join(directory, "test-gpu")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$1" >> {self.book}\n')
        os.chmod(program, 0o755)
        self.options = {"nodes": 1, "agent_flags": ("--gpu-test", program, *self.flags)}
        super().setUp()
        self.agent, = self.cluster.agents
        self.node, = self.cluster.node_names()

    def journal(self):
        return os.path.join(self.cluster.agent_state(0), "faults")

    def inject(self, command):
        """A line of the simulated driver's control file: docs/how-to/fake_driver.md."""
        with open(self.journal(), "a", encoding="utf-8") as control:
            control.write(command + "\n")

    def gpu(self, index):
        return next(gpu for _, gpu in self.cli.gpus() if gpu["index"] == index)

    def celsius(self, index):
        return self.gpu(index).get("readings", {}).get("temperature_celsius")

    def uuids_tested(self):
        """UUIDs that the site's own test was called with, in order."""
        return _read(self.book).split()

    def lose_a_card(self):
        for index in range(8):
            self.inject(f"temperature gpu={index} celsius={40 + index}")
        eventually(lambda: all(self.celsius(index) == 40 + index for index in range(8)), "each has its own temperature")
        self.inject(f"lost gpu={LOST} renumber=yes")
        eventually(lambda: self.gpu(LOST)["detail"] == "LOST", lambda: f"it is lost: {self.gpu(LOST)}")

    def assert_reset_reaches(self, uuid):
        """A reset clears the temperature that was set by hand; that of the GPU behind it stays."""
        before = len(self.uuids_tested())
        self.cli("reset", "--gpu-id", f"{self.node}/{GPU}").ok()
        eventually(lambda: len(self.uuids_tested()) > before, lambda: f"it is tested: {self.gpu(GPU)} {self.cluster.logs()}")
        self.assertEqual(self.uuids_tested()[before:], [uuid])
        eventually(lambda: self.gpu(GPU)["detail"] == "AVAILABLE", lambda: f"it is back: {self.gpu(GPU)}")
        eventually(lambda: (self.celsius(GPU) or 99) < 40, lambda: f"it was reset: {self.gpu(GPU)}")
        self.assertEqual((self.gpu(GPU)["uuid"], self.gpu(GPU)["readings"]["uuid"]), (uuid, uuid))
        self.assertEqual(self.celsius(NEXT), 40 + NEXT)


class Renumbered(Renumbering):
    def watchers(self, uuid):
        """The agent's processes that watch this GPU."""
        found = set()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            words = _read(f"/proc/{pid}/cmdline").rstrip("\0").split("\0")
            parent = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()[1:2]
            if "__watch-gpu" in words and words[-1] == uuid and parent == [str(self.agent.pid)]:
                found.add(int(pid))
        return found

    def watch_again(self):
        """A card is lost and the others are renumbered; then the watcher of GPU ends, and another one begins.  Its UUID."""
        uuid = self.gpu(GPU)["uuid"]
        self.lose_a_card()
        watcher, = self.watchers(uuid)
        os.kill(watcher, 9)
        eventually(lambda: self.watchers(uuid) - {watcher}, "another one watches it")
        self.inject(f"temperature gpu={GPU} celsius=52")
        return uuid

    def test_a_watcher_that_is_begun_again_reads_its_own_gpu(self):
        uuid = self.watch_again()
        eventually(lambda: self.celsius(GPU) == 52, lambda: f"it shows its own temperature: {self.gpu(GPU)}")
        self.assertEqual(self.gpu(GPU)["readings"]["uuid"], uuid)
        self.assertEqual((self.celsius(NEXT), self.gpu(NEXT)["detail"]), (40 + NEXT, "AVAILABLE"))
        self.assert_reset_reaches(uuid)

    def test_an_error_is_of_the_gpu_that_has_it(self):
        uuid = self.watch_again()
        eventually(lambda: self.celsius(GPU) == 52, lambda: f"it is read: {self.gpu(GPU)}")
        self.inject(f"xid gpu={NEXT} code=119")
        incidents = lambda: {one["gpu"] for one in self.cli.json("incidents", "list", "--all").get("incidents", []) if "119" in one["cause"]}
        eventually(lambda: incidents(), "an incident tells of it")
        self.assertEqual(incidents(), {NEXT})

    def test_an_agent_that_begins_after_it_knows_its_gpus(self):
        uuids = {index: self.gpu(index)["uuid"] for index in range(8)}
        self.lose_a_card()
        self.agent.stop()
        self.agent.start()
        self.inject(f"temperature gpu={GPU} celsius=52")
        eventually(lambda: self.celsius(GPU) == 52 and self.gpu(GPU)["detail"] == "AVAILABLE", lambda: f"it is read: {self.gpu(GPU)}")
        self.assertEqual({index: self.gpu(index)["uuid"] for index in range(8)}, uuids)
        self.assertEqual(self.gpu(LOST)["detail"], "LOST")
        self.assert_reset_reaches(uuids[GPU])


class Divided(Renumbering):
    flags = ("--mig", str(GPU))

    def changes(self, verb):
        """GPUs, by position in the machine file, on which the driver did so."""
        with open(self.journal(), encoding="utf-8") as journal:
            return [dict(word.split("=", 1) for word in line.split() if "=" in word)["gpu"] for line in journal if f" {verb} " in line]

    def test_an_instance_is_made_and_removed_on_its_own_gpu(self):
        self.lose_a_card()
        job = self.cli.start("--share", "0.14", "--isolation", "mig", "--cpus", "1", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", lambda: f"it runs: {self.cli.job(job)} {self.cluster.logs()}")
        self.assertEqual(self.cli.job(job)["attempts"][-1]["ranks"][0]["gpus"], [GPU])
        self.assertEqual(self.changes("gi-create"), [str(GPU)])
        self.cli("jobs", "kill", job).ok()
        eventually(lambda: self.changes("gi-destroy") == [str(GPU)], lambda: f"it goes: {self.changes('gi-destroy')}")


def _read(path):
    """Empty where the process is gone."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


if __name__ == "__main__":
    main()
