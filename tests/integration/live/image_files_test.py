#!/usr/bin/python3
"""Images in one file: archives of Docker and of OCI layouts, and squashfs files; what such files do wrong."""

import gzip
import os
import pathlib
import shutil
import subprocess
import unittest

from live_platform import ClusterTest, eventually, main
from live_platform.images import base_layout, make_image
from oci_layout import archive, docker_archive, member


class FilesOfImages(ClusterTest):
    """Jobs in an image that is a file in a directory that all nodes share."""

    def setUp(self):
        super().setUp()
        os.chmod(self.cluster.directory, 0o755)
        self.base = os.path.join(self.cluster.directory, "base")
        self.states = [f"{self.cluster.agent_state(node)}/images" for node in range(self.options["nodes"])]

    def path(self, name):
        return os.path.join(self.cluster.directory, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def run_in(self, image, script, *flags, cli=None):
        return (cli or self.cli)("-q", "run", "--image", image, *flags, "--", "/bin/sh", "-c", script)

    def logs_of_both(self, image, script):
        """What a job prints on both nodes."""
        job = self.cli.start("--nodes", "2", "--gpus", "1", "--image", image, command=["/bin/sh", "-c", script])
        self.cli.wait(job)
        return [self.cli("jobs", "logs", job, "--rank", rank).ok().out.split() for rank in ("0", "1")]

    def refused(self, image, *reasons, cli=None):
        """A job in it could not start, and says why."""
        job = (cli or self.cli).start("--image", image, command=["/bin/cat", "/of-the-image"])
        self.cli.wait(job)
        told = self.cli("jobs", "describe", job).ok().out
        self.assertEqual(self.cli.job(job)["attempts"][-1]["end_class"], "could-not-start", told)
        for reason in reasons:
            self.assertIn(reason, told)
        self.assertEqual([os.listdir(f"{state}/building") for state in self.states], [[]] * len(self.states))

    def layers(self):
        """When each layer of each node was unpacked."""
        return {f"{state}/{name}": os.stat(f"{state}/layers/{name}/root").st_ctime_ns for state in self.states for name in os.listdir(f"{state}/layers")}

    def assert_gang_has_one_digest(self, image, digest):
        self.assertEqual(self.logs_of_both(image, "cat /of-the-image; echo $GP_IMAGE_DIGEST"), [["yes", digest]] * 2)

    def assert_only_its_owner_has(self, path, image):
        os.chmod(path, 0o600)
        os.chown(path, 1234, 1234)
        self.assertEqual(self.run_in(image, "cat /of-the-image", cli=self.cli.as_user(1234)).out, "yes\n")
        self.refused(image, "Permission denied", cli=self.cli.as_user(1235))

    def assert_staged_early(self, image):
        node = self.cluster.node_names()[0]
        self.cli("images", "pull", image, "--nodes", node).ok()
        held = eventually(lambda: self.cli("images", "list", "-o", "json", "--node", node).json.get("images"), "the agent reports its image")
        self.assertEqual([one["name"] for one in held], [image])
        self.assertEqual(self.run_in(image, "cat /of-the-image").out, "yes\n")


class Archives(FilesOfImages):
    options = {"nodes": 2}

    def setUp(self):
        super().setUp()
        make_image(self.base)
        self.layout = None

    def save(self, name, version):
        """An archive of Docker, with another image besides."""
        layers = [self.base, [member("version", b"%d\n" % version)]]
        return self.write(name, docker_archive([(["other:v1"], [[member("x")]], {}), (["ana/train:v1"], layers, {"Env": ["OF=archive"]})]))

    def save_layout(self, name):
        self.layout, base = base_layout(self.path("for-layout"))
        digest = self.layout.add_image([base], "v1", {"Env": ["OF=archive"]})
        return self.write(name, archive(self.layout.path)), digest

    def test_what_docker_saves(self):
        image = f"docker-archive:{self.save('train.tar', 1)}:ana/train:v1"
        told = self.run_in(image, "cat /of-the-image /version; echo $OF")
        self.assertEqual(told.out.split(), ["yes", "1", "archive"], told.err)
        unpacked = self.layers()
        self.assertEqual(self.logs_of_both(image, "cat /version"), [["1"]] * 2)
        self.assertLessEqual(unpacked.items(), self.layers().items(), "layers are unpacked once")
        self.save("train.tar", 2)
        self.assertEqual(self.run_in(image, "cat /version").out, "2\n", "a changed archive is noticed")

    def test_a_job_keeps_its_digest_though_the_archive_changes(self):
        path = self.save("train.tar", 1)
        script = "cat /version; until test -e /shared/go; do sleep 0.1; done; exit 1"
        job = self.cli.start("--retries", "1", "--image", f"docker-archive:{path}:ana/train:v1", "--mount", f"{self.cluster.shared}:/shared",
                             command=["/bin/sh", "-c", script])
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "the job runs")
        self.save("train.tar", 2)
        open(f"{self.cluster.shared}/go", "w", encoding="ascii").close()
        self.cli.wait(job)
        self.assertIn("written again since", self.cli("jobs", "describe", job).ok().out)

    def test_an_archive_of_a_layout(self):
        path, digest = self.save_layout("oci.tar")
        self.assert_gang_has_one_digest(f"oci-archive:{path}:v1", digest)
        self.assertEqual(self.run_in(f"oci-archive:{path}", "echo $OF").out, "archive\n")
        self.assert_staged_early(f"oci-archive:{path}:v1")

    def test_what_skopeo_writes(self):
        if not shutil.which("skopeo"):
            self.skipTest("skopeo is not installed")
        self.save_layout("oci.tar")
        for form, name in (("docker-archive", "a.tar"), ("oci-archive", "b.tar")):
            target = f"{form}:{self.path(name)}:train:v1"
            subprocess.run(["skopeo", "--insecure-policy", "copy", "-q", f"oci:{self.layout.path}:v1", target], check=True)
            told = self.run_in(target, "cat /of-the-image; echo $OF")
            self.assertEqual(told.out.split(), ["yes", "archive"], told.err)

    def test_it_is_opened_as_the_user(self):
        path = self.save("train.tar", 1)
        self.assert_only_its_owner_has(path, f"docker-archive:{path}:ana/train:v1")

    def test_what_cannot_be_used(self):
        path = self.save("train.tar", 1)
        whole = pathlib.Path(path).read_bytes()
        self.refused(f"docker-archive:{path}", "has 2 images: name one by its tag")
        self.refused(f"docker-archive:{path}:v9", "no image with the tag v9", "ana/train:v1")
        self.refused(f"oci-archive:{path}", "no archive of an OCI layout")
        self.refused(f"docker-archive:{path}.none", "No such file")
        self.refused(f"docker-archive:{self.write('cut.tar', whole[:len(whole) // 2])}", "is cut off")
        self.refused(f"docker-archive:{self.write('odd.tar', os.urandom(4096))}", "no tar archive")
        self.refused(f"docker-archive:{self.write('gz.tar', gzip.compress(whole))}", "is compressed: decompress it")
        at = whole.index(b"\x7fELF") + 2_000
        self.refused(f"docker-archive:{self.write('changed.tar', whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])}:ana/train:v1", "has other content")
        os.mkfifo(self.path("fifo.tar"))
        self.refused(f"docker-archive:{self.path('fifo.tar')}", "is no regular file")


class Squashfs(FilesOfImages):
    options = {"nodes": 2}

    @classmethod
    def setUpClass(cls):
        if not shutil.which("mksquashfs") or not shutil.which("sqfs2tar"):
            raise unittest.SkipTest("squashfs-tools or squashfs-tools-ng is not installed")
        super().setUpClass()

    def pack(self, name, root=None, *flags):
        subprocess.run(["mksquashfs", root or self.base, self.path(name), "-noappend", "-quiet", "-no-progress", *flags], check=True, capture_output=True)
        return self.path(name)

    def setUp(self):
        super().setUp()
        make_image(self.base)
        os.mkdir(f"{self.base}/etc")
        with open(f"{self.base}/etc/environment", "w", encoding="ascii") as file:
            file.write('# of the image\nOF=squashfs\nQUOTED="a b"\n')

    def directory(self, name):
        os.mkdir(self.path(name))
        return self.path(name)

    def test_it_is_converted_once(self):
        image = self.pack("train.sqsh")
        digest = "sha256:" + subprocess.run(["sha256sum", image], check=True, capture_output=True, text=True).stdout.split()[0]
        self.assert_gang_has_one_digest(image, digest)
        unpacked = self.layers()
        self.assertEqual(len(unpacked), 2)
        converted = {name: os.stat(f"{state}/converted/{name}").st_ino for state in self.states for name in os.listdir(f"{state}/converted")}
        self.cluster.agents[0].kill()
        self.cluster.agents[0].start()
        self.assertEqual(self.logs_of_both(image, "cat /of-the-image; echo $OF $QUOTED"), [["yes", "squashfs", "a", "b"]] * 2)
        self.assertEqual(self.layers(), unpacked)
        self.assertEqual({name: os.stat(f"{state}/converted/{name}").st_ino for state in self.states for name in os.listdir(f"{state}/converted")}, converted)
        with open(f"{self.base}/of-the-image", "w", encoding="ascii") as file:
            file.write("new\n")
        self.pack("train.sqsh")
        self.assertEqual(self.run_in(image, "cat /of-the-image").out, "new\n", "a changed file is noticed")
        self.refused(f"{image}@{digest}", "written again since")

    def test_it_is_staged_early(self):
        self.assert_staged_early(self.pack("train.sqsh"))
        os.rename(self.path("train.sqsh"), self.path("other"))
        self.assert_staged_early(f"squashfs:{self.path('other')}")

    def test_it_is_opened_as_the_user(self):
        image = self.pack("train.sqsh")
        self.assert_only_its_owner_has(image, image)

    def test_privileges_are_left_out(self):
        shutil.copy("/bin/ls", f"{self.base}/suid")
        os.chmod(f"{self.base}/suid", 0o4755)
        os.mknod(f"{self.base}/device", 0o666 | 0o020000, os.makedev(1, 3))
        os.symlink("/../../of-the-image", f"{self.base}/link")
        told = self.run_in(self.pack("odd.sqsh"), "ls -l /suid; ls /device; cat /link")
        self.assertIn("-rwxr-xr-x", told.out)
        self.assertIn("yes", told.out)
        self.assertIn("/device", told.err)

    def test_what_cannot_be_used(self):
        image = self.pack("train.sqsh")
        whole = pathlib.Path(image).read_bytes()
        self.refused(self.write("cut.sqsh", whole[:len(whole) // 2]), "cut.sqsh cannot be read")
        self.refused(self.write("odd.sqsh", os.urandom(4096)), "is no squashfs file")
        self.refused(self.write("magic.sqsh", b"hsqs" + os.urandom(4096)), "magic.sqsh cannot be read")
        self.refused(self.write("empty.sqsh", b""), "is no squashfs file")
        middle = whole[:200] + os.urandom(len(whole) - 400) + whole[-200:]
        self.refused(self.write("damaged.sqsh", middle), "damaged.sqsh cannot be read")
        marks = self.directory("marks")
        for name in ("x", ".wh.x"):
            open(f"{marks}/{name}", "w", encoding="ascii").close()
        self.refused(self.pack("marks.sqsh", marks), "means in images that a file is removed")

    def test_names_lead_nowhere(self):
        """Names that no tool writes, put into its uncompressed tables."""
        os.mkdir(f"{self.base}/QQ")
        for name in ("QQ/inner", "W_etc"):
            open(f"{self.base}/{name}", "w", encoding="ascii").close()
        whole = pathlib.Path(self.pack("whole.sqsh", None, "-noI")).read_bytes()
        after = whole.rindex(b"W_etc")
        for name in (b"W/etc", b"/_etc"):
            self.refused(self.write("slash.sqsh", whole[:after] + name + whole[after + len(name):]), "slash.sqsh cannot be read")
        at = whole.rindex(b"QQ", 0, after)
        told = self.run_in(self.write("above.sqsh", whole[:at] + b".." + whole[at + 2:]), "ls / /inner; cat /of-the-image")
        self.assertIn("yes", told.out, told.err)
        self.assertIn("W_etc", told.out)
        self.assertNotIn("QQ", told.out)
        self.assertIn("/inner", told.err)

    def test_a_bomb_is_refused(self):
        bomb = self.directory("bomb")
        with open(f"{bomb}/zeros", "wb") as file:
            file.truncate(20 << 30)
        self.refused(self.pack("bomb.sqsh", bomb), "more than 256 times as large")
        self.assertEqual(self.layers(), {})


if __name__ == "__main__":
    main()
