#!/usr/bin/python3
"""Unpacked images that operators verify and prune, on nodes that run jobs meanwhile."""

import json
import os
import re
import signal
import subprocess
import time
import unittest

from live_platform import ClusterTest, eventually, main
from live_platform.http import UnixConnection
from live_platform.images import base_layout
from oci_layout import member


class ImageCare(ClusterTest):
    options = {"nodes": 2}

    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            raise unittest.SkipTest("agents unpack images as root only")
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.layout, self.base = base_layout(self.cluster.directory)
        self.nodes = self.cluster.node_names()
        for node in self.nodes:
            self.cli("nodes", "label", node, f"test/node={node}").ok()
        self.top = self.layout.add_layer([member("version", b"1\n"), member("data/one", b"x" * 4096), member("data/two", b"y")])
        self.layout.add_image([self.base, self.top], "v1")
        self.layout.add_image([self.base], "plain")
        self.cli("images", "prune")

    def image(self, tag="v1"):
        return f"oci:{self.layout.path}:{tag}"

    def on(self, node):
        return ["--node-label", f"test/node={node}"]

    def run_at(self, node, command=("/bin/cat", "/version"), tag="v1"):
        return self.cli("-q", "run", "--image", self.image(tag), *self.on(node), "--", *command)

    def layer(self, node, layer):
        state = self.cluster.agent_state(self.nodes.index(node))
        return f"{state}/images/layers/{layer[1].split(':')[1]}"

    def has(self, node, layer):
        return os.path.exists(self.layer(node, layer) + "/facts")

    def care(self, verb, *flags, code=0):
        told = self.cli("images", verb, *flags)
        self.assertEqual(told.code, code, f"{told}")
        return {line.split()[0]: line for line in told.out.splitlines()} if verb == "prune" else told.out

    def test_prune_keeps_what_a_running_job_uses_and_the_next_job_unpacks_the_rest(self):
        here, there = self.nodes
        job = self.cli.start("--image", self.image("plain"), *self.on(here), command=["/bin/sh", "-c", "while ! test -e /tmp/go; do sleep 0.1; done; cat /of-the-image"])
        self.run_at(here).ok()
        self.run_at(there).ok()
        self.assertTrue(all(self.has(node, layer) for node in self.nodes for layer in (self.base, self.top)))
        told = self.care("prune", "--dry-run")
        self.assertRegex(told[here], r"would remove 1 layer, .*; in use, and kept: 1 layer, ")
        self.assertRegex(told[there], r"would remove 2 layers, [^;]*$")
        self.assertTrue(self.has(here, self.top))
        self.assertRegex(self.care("prune", "--unused-for", "1h")[here], "removed 0 layers, ")
        told = self.care("prune")
        self.assertRegex(told[here], r"removed 1 layer, .*; in use, and kept: 1 layer, ")
        self.assertRegex(told[there], r"removed 2 layers, ")
        self.assertEqual([self.has(here, self.base), self.has(here, self.top)], [True, False])
        self.assertFalse(self.has(there, self.base))
        eventually(lambda: [image["name"] for image in self.held()] == [self.image("plain")], lambda: f"the others are forgotten: {self.held()}")
        self.cli("jobs", "exec", job, "--", "/bin/sh", "-c", "echo > /tmp/go").ok()
        self.cli.wait(job)
        self.assertEqual(self.cli.job(job)["state"], "COMPLETED")
        self.assertEqual(self.cli("jobs", "logs", job).out, "yes\n")
        self.assertEqual(self.run_at(here).ok().out, "1\n", "what was removed is unpacked again")
        self.assertTrue(self.has(here, self.top))

    def held(self):
        return json.loads(self.cli("images", "list", "-o", "json").ok().out).get("images", [])

    def test_prune_of_an_image_leaves_the_layers_of_others(self):
        node = self.nodes[0]
        self.run_at(node).ok()
        self.run_at(node, ("/bin/cat", "/of-the-image"), "plain").ok()
        told = self.care("prune", "--nodes", node, "--image", self.image())
        self.assertEqual(list(told), [node])
        self.assertRegex(told[node], "removed 1 layer, ")
        self.assertEqual([self.has(node, self.base), self.has(node, self.top)], [True, False])
        missing = self.cli("images", "prune", "--image", "oci:/no:where")
        self.assertEqual(missing.code, 3, f"{missing}")
        self.assertIn("none of these nodes holds the image", missing.err)
        self.assertIn("no node is named nowhere", self.cli("images", "prune", "--nodes", "nowhere").err)
        self.assertIn("--unused-for", self.cli("images", "prune", "--unused-for", "soon").err)
        self.assertIn("no such node is in pool p", self.cli("images", "verify", "--pool", "p").err)

    def test_verify_finds_what_has_changed_and_the_next_job_has_it_whole(self):
        here, there = self.nodes
        for node in self.nodes:
            self.run_at(node).ok()
        for line in self.care("verify").splitlines():
            self.assertRegex(line, r"verified 2 layers, [\d.]+ [KM]iB: none is damaged$")
        with open(self.layer(here, self.top) + "/root/data/one", "r+b") as file:
            file.seek(1000)
            file.write(b"z")
        os.remove(self.layer(there, self.base) + "/root/of-the-image")
        told = self.care("verify", code=9)
        damaged = sorted(line for line in told.splitlines() if "damaged: layer" in line)
        self.assertEqual(len(damaged), 2, told)
        self.assertRegex(damaged[0], rf"^{here} .*{self.top[1][:19]} of {re.escape(self.image())}: data/one has other content; it was removed$")
        self.assertRegex(damaged[1], rf"^{there} .*{self.base[1][:19]} of .*: of-the-image is missing; it was removed$")
        self.assertEqual(told.count(": 1 damaged"), 2)
        self.assertEqual([self.has(here, self.top), self.has(there, self.base)], [False, False])
        self.care("verify")
        for node in self.nodes:
            self.assertEqual(self.run_at(node, ("/bin/sh", "-c", "cat /of-the-image; cat /data/one")).ok().out, "yes\n" + "x" * 4096)

    def test_a_damaged_layer_in_use_is_given_to_no_other_job_and_is_removed_later(self):
        node = self.nodes[0]
        job = self.cli.start("--image", self.image(), *self.on(node), command=["/bin/sleep", "1000"])
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", "it runs")
        os.chmod(self.layer(node, self.top) + "/root/data/two", 0o600)
        self.assertRegex(self.care("verify", "--nodes", node, "--image", self.image(), code=9), "data/two has another mode; in use: it is removed once no job uses it")
        self.cluster.agent_of(node).kill()
        self.cluster.agent_of(node).start()
        eventually(lambda: self.cluster.node_state(node) == "UP" and self.has(node, self.top), "the agent is back, and the layer still there")
        other = self.cli.submit({"image": self.image(), "run": ["/bin/cat", "/version"], "node_labels": {"test/node": node}, "resources": {"gpus": 1}})[0]
        eventually(lambda: "is damaged" in json.dumps(self.cli.job(other)), lambda: f"it did not start: {self.cli.job(other)}")
        self.assertEqual(self.cli.job(job)["detail"], "RUNNING")
        self.cli("jobs", "cancel", job, other)
        self.cli.wait(job, other)
        self.assertEqual(self.run_at(node).ok().out, "1\n")
        self.care("verify", "--nodes", node)

    def test_a_node_that_cannot_is_told_at_once(self):
        here, lost = self.nodes
        self.run_at(here).ok()
        self.cluster.agent_of(lost).kill()
        began = time.monotonic()
        for verb in ("prune", "verify"):
            told = self.cli("images", verb)
            self.assertEqual(told.code, 10, f"{told}")
            lines = {line.split()[0]: line for line in told.out.splitlines()}
            self.assertRegex(lines[lost], f"^{lost} – .*(LOST|not connected|did not answer)")
            self.assertRegex(lines[here], "removed|verified")
        self.assertLess(time.monotonic() - began, 60)
        self.cluster.agent_of(lost).start()

    def looks(self, node):
        """Processes that read a layer of the node."""
        found = []
        state = self.cluster.agent_state(self.nodes.index(node))
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().decode().split("\0")
            except OSError:
                continue
            if words[1:3] == ["__image", "look"] and words[3].startswith(f"--root={state}/"):
                found.append(int(pid))
        return found

    def held_verification(self, node):
        """A `verify` of the node whose process is held."""
        for _ in range(50):
            verify = self.cli.popen("images", "verify", "--nodes", node, stdout=subprocess.DEVNULL)
            while verify.poll() is None:
                for pid in self.looks(node):
                    try:
                        os.kill(pid, signal.SIGSTOP)
                        return verify
                    except ProcessLookupError:
                        pass
        self.fail("no process was seen that verifies a layer")
        return None

    def test_a_verification_ends_with_its_caller(self):
        node = self.nodes[0]
        self.layout.add_image([self.base, self.layout.add_layer([member(f"big-{k}", os.urandom(1 << 20)) for k in range(64)])], "big")
        self.run_at(node, ("/bin/cat", "/of-the-image"), "big").ok()
        verify = self.held_verification(node)
        second = self.cli("images", "verify", "--nodes", node)
        self.assertEqual(second.code, 10, f"{second}")
        self.assertIn("verified already", second.out)
        time.sleep(7)  # the agent tells the controller every 5 s that it is still there
        self.assertIsNone(verify.poll())
        self.assertEqual(self.run_at(node, ("/bin/cat", "/of-the-image"), "plain").ok().out, "yes\n", "jobs start meanwhile")
        verify.send_signal(signal.SIGINT)
        self.assertNotEqual(verify.wait(30), 0)
        eventually(lambda: not self.looks(node), "nothing is verified any more")
        self.care("verify", "--nodes", node)

    def test_only_admins_prune_and_only_operators_verify(self):
        ana = self.cli.as_user(12345)
        for verb in ("prune", "verify"):
            told = ana("images", verb)
            self.assertEqual(told.code, 5, f"{told}")
            self.assertRegex(told.err, "role")
        self.care("prune", "--nodes", self.nodes[0], "--image", "gone:v1", code=3)
        entries = self.cli.json("audit", "list", "--object", self.nodes[0])["entries"]
        self.assertIn(("PruneImages", "image gone:v1"), [(one["operation"], one.get("details")) for one in entries])

    def test_over_http_too(self):
        node = self.nodes[0]
        self.run_at(node).ok()
        line = UnixConnection(os.path.join(self.cluster.run_directory, "http.sock"))
        self.addCleanup(line.close)
        line.request("POST", f"/api/v1/nodes/{node}/images:prune", json.dumps({"dry_run": True}), {"Content-Type": "application/json"})
        answer = json.loads(line.getresponse().read())
        self.assertEqual((answer["layers"], answer["images"]), (2, 1))
        line.request("POST", f"/api/v1/nodes/{node}/images:verify", "{}", {"Content-Type": "application/json"})
        answer = line.getresponse()
        self.assertEqual((answer.status, answer.getheader("Content-Type")), (200, "text/event-stream"))
        events = [json.loads(one) for one in re.findall("^data: (.+)$", answer.read().decode(), re.M)]
        done = [one.get("layers", 0) for one in events if "layers_total" in one]
        self.assertEqual((done, sorted(set(done))), (sorted(done), [0, 1, 2]))  # it beats where a layer takes long
        self.assertTrue(events[-2]["is_over"])


if __name__ == "__main__":
    main()
