#!/usr/bin/python3
"""The container image and the compose file: what they hold, and that each command in them runs.

image_test.py --build DIRECTORY | --packages DIRECTORY [--cache DIRECTORY] [--twice]
--twice makes the base twice too: the images are the same, as long as Debian's archive is.
Needs root and mmdebstrap.  Container runtimes themselves and their networks are not tested here.
"""

import argparse
import filecmp
import functools
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import yaml

from build_packages import make_packages
from container import Container, Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
READY_SECONDS = 60
SIZE_MAX = 64 << 20
CURL = ("curl", "-sS", "--fail", "--cacert", "/var/lib/gpu-platform/authority.pem")
options = None


def make_image(packages, out, cache):
    begin = time.monotonic()
    subprocess.run([ROOT / "tools/make-image", packages, out, "--cache", cache], check=True,
                   cwd=os.path.dirname(out))
    seconds = time.monotonic() - begin
    print(f"{out}: {os.path.getsize(out) / (1 << 20):.1f} MiB, {seconds:.1f} s", flush=True)


def paths_of(described):
    """Where the blobs of descriptors lie in the archive."""
    return ["blobs/" + one["digest"].replace(":", "/") for one in described]


@functools.cache
def compose_file():
    """As docker-compose reads it: merged, and checked against its schema.  It needs no daemon."""
    read = subprocess.run(["docker-compose", "-f", ROOT / "compose.yaml", "config"], check=True,
                          capture_output=True, text=True)
    return yaml.safe_load(read.stdout)


def settings_of_the_page():
    page = (ROOT / "docs/how-to/container.md").read_text(encoding="utf-8")
    return re.search(r"```yaml\n(# /etc/gpu-platform/controller.yaml\n.*?)```", page, re.S).group(1)


class OfAnImage(unittest.TestCase):
    """The image is made once, for all tests."""

    directory = None

    @classmethod
    def setUpClass(cls):
        if cls.directory:
            return
        base = OfAnImage
        base.directory = tempfile.mkdtemp(prefix="gp-test-", dir="/var/tmp")
        unittest.addModuleCleanup(shutil.rmtree, base.directory)
        os.chmod(base.directory, 0o755)  # users of the host pass through it to the sockets
        base.out = cls.place("first/image.tar")
        base.packages = options.packages or cls.place("packages")
        if options.build:
            make_packages(options.build, base.packages)
        make_image(base.packages, base.out, cls.cache("cache"))
        base.image = Image(base.out)
        base.config = base.image.config["config"]
        base.root = cls.place("root")
        os.makedirs(base.root)
        base.image.unpack(base.root)

    @classmethod
    def place(cls, name):
        path = os.path.join(cls.directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    @classmethod
    def cache(cls, name):
        return cls.place(name) if options.twice else options.cache

    def container(self, service):
        made = Container(self.config, self.root, service, self.place("host"))
        self.addCleanup(made.close)
        return made

    @staticmethod
    def readiness():
        return compose_file()["services"]["demo"]["healthcheck"]["test"][1:]

    def assert_listens(self, controller, ports):
        """At every address of the container, which is where a runtime passes connections to."""
        table = controller.must("cat", "/proc/net/tcp", "/proc/net/tcp6")
        pairs = [line.split()[1:4:2] for line in table.splitlines()]
        places = [address.split(":") for address, state in pairs if state == "0A"]  # LISTEN
        listening = {int(port, 16) for host, port in places if not host.strip("0")}
        for port in ports:
            self.assertIn(int(port.split("/")[0]), listening)


class Archive(OfAnImage):
    def test_everything_is_named_by_its_digest(self):
        image = self.image
        named = [image.index["manifests"][0], image.manifest["config"], *image.manifest["layers"]]
        for one in named:
            image.blob(one)
        self.assertEqual(sorted(name for name in image.files if name.startswith("blobs/")),
                         sorted(paths_of(named)))
        unpacked = [gzip.decompress(image.blob(one)) for one in image.manifest["layers"]]
        self.assertEqual(["sha256:" + hashlib.sha256(layer).hexdigest() for layer in unpacked],
                         image.config["rootfs"]["diff_ids"])
        self.assertEqual(json.loads(image.files["oci-layout"]), {"imageLayoutVersion": "1.0.0"})
        self.assertLess(os.path.getsize(self.out), SIZE_MAX)

    def test_the_manifest_of_docker_names_the_same(self):
        (docker,) = json.loads(self.image.files["manifest.json"])
        manifest = self.image.manifest
        self.assertEqual([docker["Config"], *docker["Layers"]],
                         paths_of([manifest["config"], *manifest["layers"]]))
        annotations = self.image.index["manifests"][0]["annotations"]
        self.assertEqual(docker["RepoTags"], [annotations["org.opencontainers.image.ref.name"]])

    def test_layers_are_plain(self):
        times = set()
        for described in self.image.manifest["layers"]:
            with self.image.layer(described) as layer:
                for one in layer:
                    self.assertNotRegex(one.name, r"(^|/)\.wh\.", "it would remove a file")
                    self.assertFalse(one.isdev(), f"{one.name}: a user may make no device")
                    self.assertEqual((one.uname, one.gname), ("", ""), one.name)
                    times.add(one.mtime)
        self.assertEqual(len(times), 1)
        for left in ("etc/hostname", "etc/resolv.conf", "var/log/dpkg.log"):
            self.assertFalse(os.path.lexists(os.path.join(self.root, left)), left)
        self.assertEqual(os.listdir(os.path.join(self.root, "tmp")), [])

    def test_made_again_it_is_the_same(self):
        again = self.place("second/image.tar")
        make_image(self.packages, again, self.cache("another-cache"))
        self.assertTrue(filecmp.cmp(again, self.out, shallow=False))

    def test_a_missing_package_is_named(self):
        done = subprocess.run([ROOT / "tools/make-image", self.directory, "/nowhere"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("gpu-platform_*.deb, and there must be one; run make package", done.stderr)


class Program(OfAnImage):
    def test_the_version_is_the_label(self):
        version = self.config["Labels"]["org.opencontainers.image.version"]
        shown = self.container({"command": ["version"]})
        self.assertEqual(shown.wait(), 0)
        self.assertEqual(shown.log().strip(), f"gpu-platform {version}")
        for name, service in compose_file()["services"].items():
            self.assertEqual(service["image"], f"gpu-platform:{version}", name)

    def test_the_default_is_a_controller_that_answers(self):
        controller = self.container({})
        controller.until(READY_SECONDS, *self.readiness())
        self.assert_listens(controller, self.config["ExposedPorts"])
        self.assertEqual(controller.stop(), 0)

    def test_a_job_runs_to_its_end(self):
        controller = self.container({"command": ["serve", "--simulate", "dgx-h100"]})
        controller.until(READY_SECONDS, *self.readiness())
        out = controller.must("gpu-platform", "run", "--gpus", "2", "--",
                              "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; id -un")
        self.assertRegex(out, r"^GPU-[0-9a-f-]{36},GPU-[0-9a-f-]{36}\ngpu-job\n$")


class Compose(OfAnImage):
    """Each service, as its file says, until its check of health passes."""

    def start(self, name):
        service = compose_file()["services"][name]
        self.assertEqual(service["profiles"], [name])
        for port in service.get("ports", ()):
            self.assertRegex(port, r"^127\.0\.0\.1:", "it is published for this host alone")
        controller = self.container(service)
        controller.until(READY_SECONDS, *service["healthcheck"]["test"][1:])
        self.assert_listens(controller, [port.split(":")[-1] for port in service["ports"]])
        return controller

    def test_demo(self):
        controller = self.start("demo")
        out = controller.must("gpu-platform", "run", "--wait-for-nodes", "--nodes", "2",
                              "--gpus", "8", "--", "echo", "hello")
        self.assertIn("hello", out)
        link = controller.must("gpu-platform", "dashboard").strip()
        self.assertRegex(link, r"^https://localhost:8080/#token=")
        self.assertIn("<html", controller.must(*CURL, link))
        self.assertEqual(controller.stop(), 0)

    def test_dev_keeps_its_state(self):
        controller = self.start("dev")
        controller.must("gpu-platform", "run", "--gpus", "1", "--", "true")
        self.assertEqual(controller.stop(), 0)
        again = self.start("dev")
        kept = again.must("gpu-platform", "jobs", "list", "--all", "-o", "name")
        self.assertEqual(kept, "job-1\n")
        again.must("gpu-platform", "run", "--gpus", "1", "--", "true")

    def test_prod_serves_the_users_of_its_host(self):
        for name in ("etc", "var/lib", "run"):
            os.makedirs(self.place(f"host/{name}/gpu-platform"))
        settings = self.place("host/etc/gpu-platform/controller.yaml")
        pathlib.Path(settings).write_text(settings_of_the_page(), encoding="utf-8")
        shutil.copy(os.path.join(self.root, "etc/passwd"), self.place("host/etc/passwd"))
        with open(self.place("host/etc/passwd"), "a", encoding="utf-8") as users:
            users.write("ana:x:4711:4711::/:/bin/sh\n")
        controller = self.start("prod")
        sockets = self.place("host/run/gpu-platform")
        who = subprocess.run(["setpriv", "--reuid=4711", "--regid=4711", "--clear-groups",
                              os.path.join(self.root, "usr/bin/gpu-platform"),
                              "--server", sockets, "whoami"],
                             check=False, capture_output=True, text=True, env={"HOME": "/nowhere"})
        self.assertIn("ana, uid 4711\n", who.stdout, who.stderr)
        self.assertNotIn("admin", who.stdout)
        answer = controller.run("curl", "-sS", "--fail", "http://127.0.0.1:8080/readyz")
        self.assertNotEqual(answer.returncode, 0, "without TLS there is no answer")
        self.assertEqual(controller.must(*CURL, "https://127.0.0.1:8080/readyz"), "ok\n")
        written = controller.run("touch", "/usr/new")
        self.assertIn("Read-only file system", written.stderr)


def main():
    global options  # pylint: disable=global-statement
    parser = argparse.ArgumentParser()
    parser.add_argument("--build")
    parser.add_argument("--packages")
    parser.add_argument("--cache", default="/var/cache/gpu-platform-image")
    parser.add_argument("--twice", action="store_true")
    options, rest = parser.parse_known_args()
    if os.geteuid() != 0:
        sys.stderr.write("SKIPPED: these tests need root, to run an image in namespaces\n")
        sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
