#!/usr/bin/python3
"""Jobs that only stage, images that are pulled early, what nodes hold, and staging that is shown."""

import json
import os
import socket
import threading
import unittest

from live_platform import ClusterTest, eventually, main
from live_platform.images import base_layout
from live_platform.registry import Registry, missing
from oci_layout import member

OWN_LABEL = "gpu-platform/node"


class SlowDoor:
    """Passes connections on to an address, some bytes at a time until it is opened."""

    def __init__(self, to, pause=0.1, piece=64 << 10):
        self._to, self._pause, self._piece = to, pause, piece
        self._opened = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def open(self):
        self._opened.set()

    def close(self):
        self.open()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        name, port = self._to.split(":")
        with client, socket.create_connection((name, int(port))) as server:
            up = threading.Thread(target=self._copy, args=(client, server, False), daemon=True)
            up.start()
            self._copy(server, client, True)
            up.join()

    def _copy(self, source, target, is_slow):
        try:
            while data := source.recv(self._piece):
                target.sendall(data)
                if is_slow:
                    self._opened.wait(self._pause)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Prefetch(ClusterTest):
    options = {"nodes": 2}

    @classmethod
    def setUpClass(cls):
        if missing():
            raise unittest.SkipTest(f"not installed: {missing()}")
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.layout, self.base = base_layout(self.cluster.directory)
        self.registry = Registry(os.path.join(self.cluster.directory, "registry")).start()
        self.addCleanup(self.registry.stop)
        self.nodes = self.cluster.node_names()

    def push(self, content=b"1\n"):
        digest = self.layout.add_image([self.base, self.layout.add_layer([member("version", content)])], "v")
        self.registry.push(self.layout, "v", "ana/train:v")
        return digest

    def image(self, host=None):
        return f"{host or self.registry.host}/ana/train:v"

    def blobs_asked(self):
        return [path for path in self.registry.asked() if "/blobs/" in path]

    def labels(self):
        return {node["name"]: node.get("labels", {}) for node in self.cli.cluster()["nodes"]}

    def held(self, *flags):
        return json.loads(self.cli("images", "list", "-o", "json", *flags).ok().out).get("images", [])

    def test_an_image_is_pulled_early_on_every_node_and_not_again(self):
        digest = self.push()
        told = self.cli("images", "pull", self.image(), "--nodes", ",".join(self.nodes)).ok()
        lines = [line.split() for line in told.out.splitlines()]
        self.assertEqual(sorted(line[0] for line in lines), sorted(self.nodes))
        self.assertEqual({line[2] for line in lines}, {digest})
        for node, job, _ in lines:
            seen = self.cli.job(job)
            self.assertEqual((seen["state"], seen.get("exit_code", 0)), ("COMPLETED", 0))
            self.assertEqual([rank["node"] for rank in seen["attempts"][0]["ranks"]], [node])
            self.assertNotIn("started_at", {name: value for name, value in seen.items() if value})
            self.assertEqual(self.cli("jobs", "logs", job).out, "")
        before = self.blobs_asked()
        self.assertEqual(self.cli("-q", "run", "--image", self.image(), "--", "/bin/cat", "/version").ok().out, "1\n")
        layers = [self.base[0]["digest"]]
        self.assertFalse([path for path in self.blobs_asked()[len(before):] if layers[0] in path], "the layers are there")
        self.cli("images", "pull", self.image(), "--nodes", self.nodes[0]).ok()

    def test_what_nodes_hold_is_listed(self):
        digest = self.push()
        self.assertEqual(self.held(), [])
        self.cli("images", "pull", self.image(), "--nodes", self.nodes[1]).ok()
        eventually(self.held, "the agent reports its images")
        image, = self.held()
        self.assertEqual((image["node"], image["name"], image["digest"]), (self.nodes[1], self.image(), digest))
        self.assertGreater(int(image["bytes"]), 10_000)
        self.assertTrue(image["last_used"])
        self.assertEqual(image.get("jobs", []), [])
        self.assertEqual(self.held("--node", self.nodes[0]), [])
        self.assertIn("no node", self.cli("images", "list", "--node", "nowhere").err)
        self.assertIn(self.image(), self.cli("images", "list").ok().out)
        job = self.cli.start("--image", self.image(), "--node-label", f"gpu-platform/node={self.nodes[1]}", command=["/bin/sleep", "1000"])
        eventually(lambda: [one.get("jobs") for one in self.held()] == [[job]], lambda: f"the job uses it: {self.held()}")
        self.cli("jobs", "cancel", job)
        eventually(lambda: not self.held()[0].get("jobs"), "nobody uses it")
        self.cluster.agent_of(self.nodes[1]).kill()
        self.cluster.agent_of(self.nodes[1]).start()
        eventually(lambda: self.held() and self.held()[0]["name"] == self.image(), "its name outlives the agent")

    def test_of_equal_nodes_a_job_gets_the_one_that_has_its_image(self):
        self.push()

        def node_of(*flags):
            job = self.cli.start(*flags, command=["/bin/sleep", "0"])
            self.assertEqual(self.cli.wait(job), 0)
            return self.cli.job(job)["attempts"][0]["ranks"][0]["node"]

        usual = node_of()
        other = next(node for node in self.nodes if node != usual)
        self.cli("images", "pull", self.image(), "--nodes", other).ok()
        eventually(lambda: [one["node"] for one in self.held()] == [other], "the node reports the image")
        self.assertEqual(node_of("--image", self.image()), other)
        self.assertEqual(node_of(), usual)

    def test_staging_of_an_image_is_shown(self):
        self.push(os.urandom(16 << 20))
        door = SlowDoor(self.registry.host)
        self.addCleanup(door.close)
        job = self.cli.submit({"name": "slow", "image": self.image(door.host), "run": ["/bin/cat", "/of-the-image"], "resources": {"gpus": 1}})[0]

        shown = []

        def progress():
            shown.append(self.cli.job(job))
            return shown[-1].get("progress") or {}

        def described():
            return [line for line in self.cli("jobs", "describe", job).ok().out.splitlines() if line.startswith("Staging")]

        eventually(lambda: int(progress().get("staged_bytes", 0)) > 1 << 20 and progress().get("staging_left_seconds"), lambda: f"it is shown: {progress()}")
        seen = progress()
        self.assertEqual(seen["staging"], f"image {self.image(door.host)}")
        self.assertEqual((seen.get("staged_layers", 0), seen["staging_layers"]), (0, 2))
        self.assertGreater(int(seen["staging_bytes"]), 16 << 20)
        self.assertEqual(shown[-1]["detail"], "STARTING")
        self.assertRegex(described()[0], r"Staging +image 127\.0\.0\.1:\d+/ana/train:v: 0 of 2 layers, [\d.]+ of [\d.]+ MiB, [\dms]+ left$")
        door.open()
        self.cli.wait(job)
        self.assertEqual(self.cli.job(job)["state"], "COMPLETED")
        self.assertEqual(described(), [])

    def test_what_fails_is_told_and_what_means_nothing_is_refused(self):
        told = self.cli("images", "pull", f"{self.registry.host}/ben/none:v", "--nodes", self.nodes[0])
        self.assertEqual(told.code, 10)
        self.assertRegex(told.out, f"^{self.nodes[0]} job-\\d+ .*unknown")
        self.assertIn("no node is named nowhere", self.cli("images", "pull", self.image(), "--nodes", "nowhere").err)
        self.assertIn("nothing to stage", self.cli("images", "pull", "dir:/x").err)
        self.assertIn("there is no secret", self.cli("images", "pull", self.image(), "--nodes", self.nodes[1], "--credentials", "NONE").err)
        self.assertEqual(self.labels(), {self.nodes[0]: {OWN_LABEL: self.nodes[0]}, self.nodes[1]: {}}, "what is refused labels no node")
        self.assertIn("there is no secret", self.cli("images", "pull", self.image(), "--nodes", self.nodes[0], "--credentials", "NONE").err)
        self.assertIn("no such node is in pool p", self.cli("images", "pull", self.image(), "--pool", "p").err)
        self.assertIn("no queue is named q", self.cli("images", "pull", self.image(), "--queue", "q").err)
        waits = self.cli("images", "pull", self.image(), "--nodes", ",".join(self.nodes), "--no-wait").ok().out.splitlines()
        self.assertEqual([line.split()[0] for line in waits], sorted(self.nodes))

    def test_nodes_that_cannot_take_it_now_are_left_out_and_named(self):
        digest = self.push()
        told = self.cli("images", "pull", self.image())
        self.assertEqual(told.code, 10)
        lines = told.out.splitlines()
        self.assertEqual([line.split()[0] for line in lines], sorted(self.nodes))
        for line, node in zip(lines, sorted(self.nodes)):
            self.assertIn(f"gpu-platform nodes label {node} {OWN_LABEL}={node}", line)
        self.assertEqual(self.labels(), {node: {} for node in self.nodes})
        there, drained = self.nodes
        for node in self.nodes:
            self.cli("nodes", "label", node, f"{OWN_LABEL}={node}").ok()
        self.cli("drain", "--node", drained).ok()
        told = self.cli("images", "pull", self.image())
        self.assertEqual(told.code, 10)
        out = {line.split()[0]: line for line in told.out.splitlines()}
        self.assertRegex(out[drained], "drains, and takes no new work")
        self.assertIn(digest, out[there])
        self.cli("online", "--node", drained).ok()

    def test_nobody_waits_longer_than_he_says(self):
        self.push(os.urandom(16 << 20))
        door = SlowDoor(self.registry.host)
        self.addCleanup(door.close)
        told = self.cli("images", "pull", self.image(door.host), "--nodes", self.nodes[0], "--timeout", "1s")
        self.assertEqual(told.code, 7)
        self.assertRegex(told.out, f"^{self.nodes[0]} job-\\d+ has not ended yet$")
        door.open()
        self.cli.wait(told.out.split()[1])

    def test_a_gang_only_stages_and_then_another_job_follows(self):
        digest = self.push()
        gang = self.cli.submit({"name": "stage", "image": self.image(), "stage_only": True, "nodes": 2, "resources": {"gpus": 1}})[0]
        after = self.cli.submit({"name": "after", "after": [gang], "run": "true", "resources": {"gpus": 1}})[0]
        self.cli.wait(gang, after)
        seen = self.cli.job(gang)
        self.assertEqual((seen["state"], seen["image_digest"], len(seen["attempts"])), ("COMPLETED", digest, 1))
        self.assertEqual(self.cli.job(after)["state"], "COMPLETED")


if __name__ == "__main__":
    main()
