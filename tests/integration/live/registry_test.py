#!/usr/bin/python3
"""Images of registries: pulled once per node, by digest, with room made first; what registries do wrong."""

import base64
import json
import os
import subprocess
import unittest

from live_platform import ClusterTest, eventually, main
from live_platform.images import base_layout
from live_platform.registry import LyingRegistry, Registry, missing
from oci_layout import archive, member

WORD = "s3cr3t-w0rd-of-ana"
FORMS = (WORD.encode(), base64.b64encode(f"ana:{WORD}".encode()))


class Registries(ClusterTest):
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
        self.pulls = [f"{self.cluster.agent_state(node)}/image-pulls" for node in (0, 1)]

    def push(self, version):
        digest = self.layout.add_image([self.base, self.layout.add_layer([member("version", b"%d\n" % version)])], "v", {"Env": ["OF=image"]})
        self.registry.push(self.layout, "v", "ana/train:v")
        return digest

    def image(self, which=":v"):
        return f"{self.registry.host}/ana/train{which}"

    def run_in(self, image, script, *flags, cli=None):
        return (cli or self.cli)("-q", "run", "--image", image, *flags, "--", "/bin/sh", "-c", script)

    def blobs_asked(self):
        return [path for path in self.registry.asked() if "/blobs/" in path]

    def first_end_of(self, image):
        """How the first attempt of a job in it ends, in words."""
        job = self.cli.start("--image", image, command=["/bin/cat", "/version"])
        eventually(lambda: self.cli.job(job)["attempts"] and self.cli.job(job)["attempts"][0]["ranks"][0]["outcome"], "its first attempt ends")
        self.cli("jobs", "cancel", job)
        return self.cli.job(job)["attempts"][0]["ranks"][0]["outcome"]

    def assert_nothing_stays(self):
        eventually(lambda: not self.left(), lambda: f"what was pulled is removed: {self.left()}")

    def left(self):
        return [os.path.join(place, name) for pulls in self.pulls for place, places, files in os.walk(pulls) for name in places + files]

    def test_an_image_is_pulled_once_and_by_its_digest(self):
        first = self.push(1)
        told = self.run_in(self.image(), "cat /version; echo $OF $GP_IMAGE_DIGEST")
        self.assertEqual(told.ok().out.split(), ["1", "image", first])
        asked = self.blobs_asked()
        self.assertEqual(len(asked), len(set(asked)) + 1, f"each layer once, the configuration twice: {asked}")
        self.assert_nothing_stays()
        self.push(2)
        self.assertEqual(self.run_in(self.image("@" + first), "cat /version").out, "1\n")
        self.assertEqual(self.run_in(self.image(), "cat /version").out, "2\n")
        asked = self.blobs_asked()
        base = self.base[0]["digest"]
        self.assertLessEqual(sum(base in path for path in asked), 1, "at most the other node pulls the layer that both images have")

    def test_a_gang_has_one_image_and_each_node_pulls_once(self):
        first = self.push(1)
        job = self.cli.start("--nodes", "2", "--gpus", "1", "--image", self.image(), command=["/bin/sh", "-c", "cat /version; echo $GP_IMAGE_DIGEST"])
        self.cli.wait(job)
        self.assertEqual(self.cli.job(job)["image_digest"], first)
        for rank in ("0", "1"):
            self.assertEqual(self.cli("jobs", "logs", job, "--rank", rank).ok().out.split(), ["1", first])
        asked = self.blobs_asked()
        self.assertEqual(sum(self.base[0]["digest"] in path for path in asked), 2)

    def test_attempts_at_the_same_time_pull_once(self):
        digest = self.push(1)
        jobs = [self.cli.start("--gpus", "1", "--image", self.image("@" + digest), command=["/bin/cat", "/version"]) for _ in range(12)]
        self.cli.wait(*jobs)
        self.assertEqual({self.cli.job(job)["state"] for job in jobs}, {"COMPLETED"})
        self.assertLessEqual(sum(self.base[0]["digest"] in path for path in self.blobs_asked()), 2)
        self.assert_nothing_stays()

    def test_what_is_not_there_is_told(self):
        self.push(1)
        for image in (self.image(":v9"), self.image("@sha256:" + "0" * 64), f"{self.registry.host}/ben/x"):
            outcome = self.first_end_of(image)
            self.assertIn("unknown", outcome)
            self.assertIn("could-not-start", outcome)
        self.registry.stop()
        outcome = self.first_end_of(self.image("@sha256:" + "1" * 64))
        self.assertIn("connection refused", outcome)
        self.assertIn("platform-fault", outcome)

    def test_a_private_registry_asks_for_the_users_secret(self):
        private = Registry(os.path.join(self.cluster.directory, "private"), "ana", WORD).start()
        self.addCleanup(private.stop)
        digest = self.layout.add_image([self.base], "p")
        private.push(self.layout, "p", "ana/secret:v")
        image = f"{private.host}/ana/secret"
        ana, ben = self.cli.as_user(12_345), self.cli.as_user(12_346)
        ana("secrets", "set", "REGISTRY", input=f"ana:{WORD}\n".encode()).ok()
        ben("secrets", "set", "REGISTRY", input=b"ben:guessed").ok()
        told = self.run_in(f"{image}:v", "cat /of-the-image; echo ${REGISTRY:-hidden}", "--image-credentials", "REGISTRY", cli=ana)
        self.assertEqual(told.out, "yes\nhidden\n", told.err)
        self.assertIn("authentication required", self.first_end_of(f"{image}:v"))
        for flags in ((), ("--image-credentials", "REGISTRY")):
            told = self.run_in(f"{image}@{digest}", "cat /of-the-image", *flags, cli=ben)
            self.assertNotIn("yes", told.out, "the layers are there, and not for everybody")
        self.assertIn("image_credentials: there is no secret", self.run_in(f"{image}:v", "true", "--image-credentials", "OTHER", cli=ana).err)
        self.assertIn("are for an image of a registry", self.run_in("dir:/x", "true", "--image-credentials", "REGISTRY", cli=ana).err)
        for place, _, names in os.walk(self.cluster.directory):
            if place.startswith(os.path.join(self.cluster.state, "secrets")):
                continue
            for name in names:
                if os.path.isfile(os.path.join(place, name)):
                    with open(os.path.join(place, name), "rb") as file:
                        content = file.read()
                    self.assertFalse(any(form in content for form in FORMS), f"{place}/{name}")

    def test_credentials_are_in_no_command_line_and_no_environment(self):
        seen, found = [], []

        def challenge(handler):
            handler.send_response(200 if "Authorization" in handler.headers else 401)
            handler.send_header("WWW-Authenticate", 'Basic realm="test"')
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        def look(handler):
            seen.append(handler.headers.get("Authorization", ""))
            for pid in filter(str.isdigit, os.listdir("/proc")):
                for name in ("cmdline", "environ"):
                    try:
                        with open(f"/proc/{pid}/{name}", "rb") as file:
                            content = file.read()
                    except OSError:
                        continue
                    found.extend((name, content) for form in FORMS if form in content)
            handler.send_error(404)

        registry = LyingRegistry({"": challenge, "x/manifests/latest": look})
        self.addCleanup(registry.stop)
        ana = self.cli.as_user(12_345)
        ana("secrets", "set", "REGISTRY", input=f"ana:{WORD}".encode()).ok()
        self.run_in(f"{registry.host}/x", "true", "--image-credentials", "REGISTRY", cli=ana)
        self.assertIn("Basic " + FORMS[1].decode(), seen)
        self.assertEqual(found, [])

    def test_the_policy_of_the_host_holds(self):
        self.push(1)
        policy = os.path.join(self.cluster.directory, "policy.json")
        words = [self.cluster.binary, "__image", "read", "--uid=12345", "--gid=12345", "--source=registry", f"--repository={self.registry.host}/ana/train", "--tag=v"]
        for rule, answer in (("reject", "rejected by policy"), ("insecureAcceptAnything", '"layers"')):
            # With a condition, so that it is not the policy that lets all in.
            rules = {"default": [{"type": "reject"}], "transports": {"docker": {self.registry.host: [{"type": rule}]}}}
            with open(policy, "w", encoding="ascii") as file:
                json.dump(rules, file)
            layout = os.path.join(self.cluster.shared, rule)
            os.mkdir(layout)
            os.chown(layout, 12345, 12345)
            told = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", 'mount --bind "$0" /etc/containers/policy.json && exec "$@"', policy,
                                   *words, f"--layout={layout}"], capture_output=True, text=True, check=True)
            self.assertIn(answer, told.stdout)

    def lie(self, changes):
        """How a job ends, in an image of one layer, with these changes to what the registry has."""
        layer = archive([member("version", b"1\n")])
        blob, diff_id = self.layout.add_layer(layer, compress=lambda content: content, media_type="application/vnd.oci.image.layer.v1.tar")
        digest = self.layout.add_image([(blob, diff_id)], "lie")
        answers = {}
        for name in os.listdir(f"{self.layout.path}/blobs/sha256"):
            with open(f"{self.layout.path}/blobs/sha256/{name}", "rb") as file:
                answers[f"x/blobs/sha256:{name}"] = answers[f"x/manifests/sha256:{name}"] = file.read()
        answers["x/manifests/latest"] = answers[f"x/manifests/{digest}"]
        answers.update(changes(digest, blob["digest"], answers))
        registry = LyingRegistry(answers)
        self.addCleanup(registry.stop)
        return self.first_end_of(f"{registry.host}/x")

    def test_registries_that_lie(self):
        def endless(handler):
            handler.send_response(200)
            handler.send_header("Content-Type", "application/octet-stream")
            handler.end_headers()
            try:
                while True:
                    handler.wfile.write(b"\0" * (1 << 20))
            except OSError:
                pass

        other = archive([member("version", b"2\n")])
        cases = {
            "another layer": lambda digest, layer, answers: {f"x/blobs/{layer}": other.ljust(len(answers[f"x/blobs/{layer}"]), b"\0")[:len(answers[f"x/blobs/{layer}"])]},
            "a layer without end": lambda digest, layer, answers: {f"x/blobs/{layer}": endless},
            "a short layer": lambda digest, layer, answers: {f"x/blobs/{layer}": answers[f"x/blobs/{layer}"][:-1]},
            "no layer": lambda digest, layer, answers: {f"x/blobs/{layer}": None},
            "another manifest": lambda digest, layer, answers: {f"x/manifests/{digest}": answers["x/manifests/latest"] + b" "},
            "no manifest": lambda digest, layer, answers: {"x/manifests/latest": b"<html>"},
            "an empty manifest": lambda digest, layer, answers: {"x/manifests/latest": b'{"schemaVersion": 2}'},
        }
        reasons = {"no manifest": "is no JSON object", "an empty manifest": "is neither a manifest nor an index", "a layer without end": "sends more than"}
        for name, changes in cases.items():
            with self.subTest(name):
                self.assertIn(reasons.get(name, "cannot pull"), self.lie(changes))
        self.assertNotIn("cannot pull", self.lie(lambda *_: {}))
        self.assert_nothing_stays()



class ManyNodes(ClusterTest):
    options = {"nodes": 8}

    def test_sixteen_ranks_on_eight_nodes_pull_eight_times_and_have_one_digest(self):
        if missing():
            self.skipTest(f"not installed: {missing()}")
        layout, layer = base_layout(self.cluster.directory)
        first = layout.add_image([layer], "v")
        registry = Registry(os.path.join(self.cluster.directory, "registry")).start()
        self.addCleanup(registry.stop)
        registry.push(layout, "v", "ana/train:v")
        script = "echo $GP_IMAGE_DIGEST; until test -e /shared/go; do sleep 0.1; done"
        start = lambda which: self.cli.start("--nodes", "8", "--gpus", "1", "--image", f"{registry.host}/ana/train{which}",
                                             "--mount", f"{self.cluster.shared}:/shared:ro", command=["/bin/sh", "-c", script])
        tagged = start(":v")
        eventually(lambda: self.cli.job(tagged).get("image_digest"), "its digest is fixed")
        moved = layout.add_image([layer, layout.add_layer([member("moved", b"x")])], "v")
        self.assertNotEqual(moved, first)
        registry.push(layout, "v", "ana/train:v")
        jobs = [tagged, start("@" + first)]
        eventually(lambda: {self.cli.job(job)["state"] for job in jobs} == {"RUNNING"}, "both gangs run")
        open(f"{self.cluster.shared}/go", "w", encoding="ascii").close()
        self.cli.wait(*jobs)
        told = [self.cli("jobs", "logs", job, "--rank", str(rank)).ok().out.strip() for job in jobs for rank in range(8)]
        self.assertEqual(told, [first] * 16)
        pulls = [path for path in registry.asked() if layer[0]["digest"] in path]
        self.assertEqual(len(pulls), 8)


if __name__ == "__main__":
    main()
