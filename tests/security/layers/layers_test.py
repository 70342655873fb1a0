#!/usr/bin/python3
"""Images of layers that were made to do harm: each is refused with a reason, or harmless.  Needs root."""

import gzip
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import unittest

import oci_layout
from oci_layout import MANIFEST, Layout, directory, hard_link, link, member

BINARY = sys.argv[sys.argv.index("--binary") + 1]
ROOM = 16 << 20
MARK = ".wh."
OPAQUE = ".wh..wh..opq"
OPAQUE_ATTRIBUTE = "user.overlay.opaque"


def sparse(name, size):
    """A file of this size of which the archive has one byte."""
    return member(name, b"x", pax_headers={"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.map": "0,1",
                                           "GNU.sparse.size": str(size), "GNU.sparse.numblocks": "1"})


def damaged(content, at=-40):
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1:]


def deep(levels):
    return [directory("/".join(["d"] * level)) for level in range(1, levels + 1)]


def with_attributes(name, **attributes):
    return member(name, b"x", pax_headers={f"SCHILY.xattr.{key}": value for key, value in attributes.items()})


# What each layer is, and what its refusal says.
REFUSED = {
    "a path out of it": ([member("../../out", b"x")], "leads out of it"),
    "a path out of it, later": ([member("a/b/../../../out", b"x")], "leads out of it"),
    "a directory out of it": ([directory("..")], "leads out of it"),
    "a file through an absolute link": ([link("l", "/"), member("l/out", b"x")], "cannot be unpacked"),
    "a file through a link out": ([link("l", "../.."), member("l/out", b"x")], "cannot be unpacked"),
    "a file through two links": ([link("a", "/tmp"), link("b", "a"), member("b/out", b"x")], "cannot be unpacked"),
    "a directory through a link": ([link("l", "/var"), directory("l/out")], "cannot be unpacked"),
    "a link through a link": ([link("l", "/var"), link("l/out", "x")], "cannot be unpacked"),
    "a hard link out": ([hard_link("h", "../../etc/passwd")], "leads out of it"),
    "a hard link to the host's file": ([hard_link("h", "/etc/passwd")], "cannot be unpacked"),
    "a hard link through a link": ([link("l", "/etc"), hard_link("h", "l/passwd")], "cannot be unpacked"),
    "a hard link to its root": ([hard_link("h", "/")], "a link to its root"),
    "a file as its root": ([member("./", b"x", type=tarfile.REGTYPE)], None),
    "a link as its root": ([link(".", "/etc")], "its root but no directory"),
    "a mark that removes its root": ([member(MARK + ".")], "removes no file"),
    "a mark that removes what is above": ([member("a/" + MARK + "..")], "removes no file"),
    "a mark without a name": ([member(MARK)], "removes no file"),
    "a mark through a link": ([link("l", "/etc"), member("l/" + MARK + "passwd")], "cannot be unpacked"),
    "a mark in a file": ([member("f", b"x"), member("f/" + MARK + "x")], "cannot be unpacked"),
    "an opaque root": ([member(OPAQUE)], "removes all that is below the layer"),
    "an opaque link": ([link("l", "/etc"), member("l/" + OPAQUE)], "cannot be unpacked"),
    "an opaque file": ([member("f", b"x"), member("f/" + OPAQUE)], "cannot be unpacked"),
    "a name that is too long": ([member("n" * 256, b"x")], "name is too long"),
    "a path that is too long": ([member("/".join(["n" * 200] * 30), b"x")], "path is too long"),
    "a file of 8 EiB in holes": ([sparse("f", 1 << 62)], "room"),
    "a file larger than the room": ([member("f", b"\0" * (ROOM + 1))], "no room"),
    "too many attributes": ([with_attributes("f", **{f"user.a{n}": "x" * 1000 for n in range(70)})], "too many attributes"),
    "many files larger than the room": ([member(f"f{n}", b"\0" * (1 << 20)) for n in range(20)], "room"),
    "many small files": ([member(f"f{n}") for n in range(20_000)], "no room"),  # each takes a block
    "many directories that it leaves out": ([member(f"u{n}/" + "/".join(["d"] * 60) + "/f") for n in range(300)], "no room"),
    "many removals": ([member(f"u{n}/" + "/".join(["d"] * 60) + "/" + MARK + "f") for n in range(300)], "no room"),
    "no archive": (b"this is no archive" * 100, "no tar archive"),
}


class Process(unittest.TestCase):
    """Each test has a layout, and a directory to unpack into with a file beside it."""

    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="gp-layers-", dir="/var/tmp")
        self.addCleanup(lambda: subprocess.run(["rm", "-rf", self.scratch], check=True))
        os.chmod(self.scratch, 0o711)
        self.layout = Layout(f"{self.scratch}/layout")
        self.root = f"{self.scratch}/above/root"
        os.makedirs(self.root)
        self.before = self.listing()

    def listing(self):
        """All that is there but the layout, and what is unpacked."""
        found = subprocess.run(["find", self.scratch, "-path", self.layout.path, "-prune", "-o", "-path", self.root, "-prune", "-o", "-print"],
                               check=True, capture_output=True, text=True)
        return sorted(found.stdout.splitlines())

    def run_part(self, part, *flags):
        told = subprocess.run([BINARY, "__image", part, "--uid", "65534", "--gid", "65534", "--layout", self.layout.path, *flags],
                              check=False, capture_output=True, text=True, timeout=120)
        self.assertEqual(told.returncode, 0, told.stderr)
        return json.loads(told.stdout)

    def unpack(self, members, compress=gzip.compress):
        subprocess.run(["rm", "-rf", self.root], check=True)
        os.mkdir(self.root)
        layer, diff_id = self.layout.add_layer(members, compress)
        answer = self.run_part("unpack", "--layer", layer["digest"], "--root", self.root, "--bytes-max", str(ROOM))
        self.assertEqual(self.listing(), self.before, "nothing is made beside it")
        self.is_as_told = (answer.get("digest"), answer.get("diff_id")) == (layer["digest"], diff_id)
        return answer

    def unpacked(self, members, compress=gzip.compress):
        answer = self.unpack(members, compress)
        self.assertTrue(self.is_as_told, answer)
        return answer

    def facts(self, path):
        return os.lstat(f"{self.root}/{path}")

    def is_removed(self, path):
        facts = self.facts(path)
        return stat.S_ISCHR(facts.st_mode) and facts.st_rdev == 0


class Layers(Process):
    def test_hostile_layers_are_refused(self):
        for what, (members, reason) in REFUSED.items():
            with self.subTest(what):
                answer = self.unpack(members)
                if reason is None:  # harmless instead: its root stays a directory
                    self.assertTrue(stat.S_ISDIR(os.lstat(self.root).st_mode))
                else:
                    self.assertIn(reason, answer.get("error", "nothing"), what)

    def test_devices_and_sockets_are_left_out(self):
        devices = [member("null", type=tarfile.CHRTYPE, devmajor=1, devminor=3, mode=0o666),
                   member("disk", type=tarfile.BLKTYPE, devmajor=8, devminor=0, mode=0o666),
                   member("mark", type=tarfile.CHRTYPE, devmajor=0, devminor=0), member("pipe", type=tarfile.FIFOTYPE)]
        self.unpacked([*devices, member("file", b"x")])
        self.assertEqual(sorted(os.listdir(self.root)), ["file", "pipe"])

    def test_privileges_are_taken(self):
        capability = "\x01\x00\x00\x02\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
        self.unpacked([member("setuid", b"x", mode=0o4755), member("setgid", b"x", mode=0o2755), directory("shared", 0o2775),
                       directory("tmp", 0o1777), with_attributes("capable", **{"security.capability": capability, "user.kept": "yes"}),
                       with_attributes("trusted", **{"trusted.overlay.opaque": "y"})])
        modes = {name: stat.S_IMODE(self.facts(name).st_mode) for name in ("setuid", "setgid", "shared", "tmp")}
        self.assertEqual(modes, {"setuid": 0o755, "setgid": 0o755, "shared": 0o2775, "tmp": 0o1777})
        self.assertEqual(os.listxattr(f"{self.root}/capable"), ["user.kept"])
        self.assertEqual(os.listxattr(f"{self.root}/trusted"), [])

    def test_marks_of_its_own_are_not_taken_over(self):
        entry, content = directory("emptied")
        entry.pax_headers = {"SCHILY.xattr." + OPAQUE_ATTRIBUTE: "y", "SCHILY.xattr.user.overlay.redirect": "/etc"}
        self.unpacked([(entry, content), with_attributes("moved", **{"user.overlay.metacopy": "", "user.overlay.redirect": "/etc/shadow"})])
        self.assertEqual(os.listxattr(f"{self.root}/emptied"), [])
        self.assertEqual(os.listxattr(f"{self.root}/moved"), [])

    def test_removed_files_become_marks_in_any_order(self):
        self.unpacked([member("a/" + MARK + "gone"), member("b/kept", b"x"), member("b/" + OPAQUE), member(MARK + "dir"), directory("dir"),
                       member("file", b"x"), member(MARK + "file"), member("deep/er/" + MARK + "gone"), member(".wh..wh.plnk/1")])
        self.assertTrue(self.is_removed("a/gone"))
        self.assertTrue(self.is_removed("deep/er/gone"))
        self.assertEqual(os.getxattr(f"{self.root}/b", OPAQUE_ATTRIBUTE), b"y")
        self.assertEqual(os.getxattr(f"{self.root}/dir", OPAQUE_ATTRIBUTE), b"y")
        self.assertTrue(stat.S_ISREG(self.facts("file").st_mode))
        self.assertEqual(sorted(os.listdir(f"{self.root}/b")), ["kept"])

    def test_files_keep_what_they_are(self):
        self.unpacked([directory("d", 0o750, uid=1000, gid=1001, mtime=1_000_000_000), member("d/f", b"content", mode=0o640, uid=1234, gid=5, mtime=981173106),
                       hard_link("d/same", "d/f"), link("l", "/etc/passwd"), member("d/\u00e9\u65e5", b"x"), member("./dotted/./f", b"x"), member("/absolute", b"x")])
        facts = self.facts("d/f")
        self.assertEqual((facts.st_uid, facts.st_gid, stat.S_IMODE(facts.st_mode), facts.st_mtime, facts.st_nlink), (1234, 5, 0o640, 981173106, 2))
        facts = self.facts("d")
        self.assertEqual((facts.st_uid, facts.st_gid, stat.S_IMODE(facts.st_mode), facts.st_mtime), (1000, 1001, 0o750, 1_000_000_000))
        self.assertEqual(os.readlink(f"{self.root}/l"), "/etc/passwd")
        self.assertEqual(sorted(os.listdir(self.root)), ["absolute", "d", "dotted", "l"])
        self.assertIn("\u00e9\u65e5", os.listdir(f"{self.root}/d"))

    def test_the_last_of_several_entries_wins(self):
        self.unpacked([member("f", b"old"), member("f", b"new"), link("x", "/etc/passwd"), member("x", b"mine"), member("y", b"old"), directory("y")])
        with open(f"{self.root}/x", "rb") as file:
            self.assertEqual(file.read(), b"mine")
        with open(f"{self.root}/f", "rb") as file:
            self.assertEqual(file.read(), b"new")

    def test_deep_trees_are_removed_as_well(self):
        self.unpacked(deep(1_500))

    def test_damaged_and_cut_blobs_are_refused(self):
        content = [member("f", os.urandom(1 << 16))]
        for what, compress in {"cut": lambda plain: gzip.compress(plain)[:-1000], "damaged": lambda plain: damaged(gzip.compress(plain), 5000)}.items():
            with self.subTest(what):
                self.unpack(content, compress)
                self.assertFalse(self.is_as_told)

    def test_compressions(self):
        zstd = lambda plain: subprocess.run(["zstd", "-q", "-c"], input=plain, check=True, capture_output=True).stdout
        forms = {"plain": bytes, "gzip": gzip.compress, "two members": lambda plain: gzip.compress(plain[:700]) + gzip.compress(plain[700:])}
        if shutil.which("zstd"):
            forms["zstd"] = zstd
        for what, compress in forms.items():
            with self.subTest(what):
                self.unpacked([member("f", b"x" * 5000)], compress)
                self.assertEqual(self.facts("f").st_size, 5000)
        for what, compress in {"xz": "xz", "bzip2": "bzip2"}.items():
            if shutil.which(compress):
                with self.subTest(what):
                    answer = self.unpack([member("f", b"x")], lambda plain, by=compress: subprocess.run([by, "-c"], input=plain, check=True, capture_output=True).stdout)
                    self.assertIn("no tar archive", answer["error"])

    def test_an_empty_layer(self):
        self.unpacked([])
        self.assertEqual(os.listdir(self.root), [])

    def test_a_bomb_is_stopped(self):
        self.assertIn("room", self.unpack([], lambda _: gzip.compress(b"\0" * (ROOM * 4), 9))["error"])
        bomb = [member(f"f{n}", b"\0" * (1 << 22)) for n in range(8)]
        self.assertIn("room", self.unpack(bomb, lambda plain: gzip.compress(plain, 9))["error"])


class Documents(Process):
    """The files of a layout that say what an image is made of."""

    def read(self, *flags):
        return self.run_part("read", *flags)

    def small(self):
        return self.layout.add_layer([member("f", b"x")])

    def assert_refused(self, reason, *flags):
        self.assertIn(reason, self.read(*flags).get("error", "nothing"))

    def test_an_image_by_tag_and_digest(self):
        first = self.layout.add_image([self.small()], "v1", {"Env": ["PATH=/opt/bin", "X=\u00e9", "bad"], "WorkingDir": "/work"})
        second = self.layout.add_image([self.small(), self.small()], "v2")
        told = self.read("--tag", "v1")
        self.assertEqual((told["digest"], told["environment"], told["working_directory"]), (first, ["PATH=/opt/bin", "X=\u00e9"], "/work"))
        self.assertEqual(len(self.read("--digest", second)["layers"]), 2)
        self.assert_refused("has 2 images: name one by its tag or digest; its tags are v1, v2")
        self.assert_refused("no image with the tag v3: its tags are v1, v2", "--tag", "v3")
        self.assert_refused("No such file", "--digest", "sha256:" + "0" * 64)

    def test_platforms(self):
        arm = self.layout.add_json({}, MANIFEST)
        amd = self.layout.add_image([self.small()])
        platform = lambda descriptor, name: {**descriptor, "platform": {"os": "linux", "architecture": name}}
        index = {"manifests": [platform(arm, "arm64"), platform({"digest": amd, "size": 1}, "amd64")]}
        self.layout.manifests = []
        both = self.layout.add_manifest(self.layout.add_json(index, "application/vnd.oci.image.index.v1+json"))
        self.assertEqual(self.read()["digest"], both)
        self.assertEqual(self.read("--digest", both), self.read())
        self.assertEqual(self.read()["layers"], self.read("--digest", amd)["layers"])
        self.layout.manifests = []
        self.layout.add_manifest(self.layout.add_json({"manifests": [platform(arm, "arm64")]}, "x"))
        self.assert_refused("no image for linux/amd64, only for linux/arm64")

    def test_an_index_of_itself_ends(self):
        descriptor = {"digest": "sha256:" + "1" * 64, "size": 1, "platform": {"os": "linux", "architecture": "amd64"}}
        for _ in range(6):
            descriptor = {**self.layout.add_json({"manifests": [descriptor]}, "x"), "platform": descriptor["platform"]}
        self.layout.add_manifest(descriptor)
        self.assert_refused("is neither a manifest nor an index")

    def test_hostile_documents_are_refused(self):
        layer = self.small()
        many = [layer] * 128
        wrong = {
            "no layers": ([], {}, "has 0 layers"),
            "too many layers": (many, {}, "has 128 layers"),
            "layers that are text": ([layer], {"layers": "x"}, "is neither a manifest nor"),
            "a layer that is text": ([layer], {"layers": ["x"]}, "no sha256 digest"),
            "a layer by a path": ([layer], {"layers": [{"digest": "sha256:../../../etc/passwd", "size": 1}]}, "no sha256 digest"),
            "a layer by another digest": ([layer], {"layers": [{"digest": "sha512:" + "0" * 128, "size": 1}]}, "no sha256 digest"),
            "a layer without a size": ([layer], {"layers": [{**layer[0], "size": -1}]}, "without a size"),
            "a layer of 2^60 bytes": ([layer], {"layers": [{**layer[0], "size": 1 << 60}]}, "without a size"),
            "a layer of another size": ([layer], {"layers": [{**layer[0], "size": 1 << 49}]}, "that its manifest says"),
            "an encrypted layer": ([layer], {"layers": [{**layer[0], "mediaType": "application/vnd.oci.image.layer.v1.tar+gzip+encrypted"}]}, "no archive that can be unpacked"),
            "no config": ([layer], {"config": None}, "no sha256 digest"),
            "a config that is not there": ([layer], {"config": {"digest": "sha256:" + "0" * 64}}, "No such file"),
            "a config that is a layer": ([layer], {"config": layer[0]}, "is no JSON object"),
        }
        for what, (layers, changes, reason) in wrong.items():
            with self.subTest(what):
                self.layout.manifests = []
                self.layout.add_image(layers, changes=changes)
                self.assert_refused(reason)

    def test_hostile_configs_are_refused(self):
        layer = self.small()
        wrong = {
            "another machine": ({"architecture": "s390x", "os": "linux"}, "image for linux/s390x, not for linux/amd64"),
            "no archives": ({"architecture": "amd64", "os": "linux", "rootfs": {"diff_ids": []}}, "does not name the archive"),
            "an archive by a path": ({"architecture": "amd64", "os": "linux", "rootfs": {"diff_ids": ["sha256:../x"]}}, "no sha256 digest"),
            "a directory that is no path": ({"architecture": "amd64", "os": "linux", "rootfs": {"diff_ids": [layer[1]]}, "config": {"WorkingDir": "/" + "d" * (2 << 20)}}, "no directory"),
            "too many variables": ({"architecture": "amd64", "os": "linux", "rootfs": {"diff_ids": [layer[1]]}, "config": {"Env": [f"V{n}=x" for n in range(1_001)]}}, "more environment variables"),
        }
        for what, (config, reason) in wrong.items():
            with self.subTest(what):
                self.layout.manifests = []
                manifest = {"config": self.layout.add_json(config, "x"), "layers": [layer[0]]}
                self.layout.add_manifest(self.layout.add_json(manifest, MANIFEST))
                self.assert_refused(reason)

    def test_hostile_files_are_refused(self):
        digest = self.layout.add_image([self.small()])
        index = f"{self.layout.path}/index.json"

        def with_index(make):
            os.remove(index)
            make()

        def write(content):
            with open(index, "wb") as file:
                file.write(content)

        with open(self.layout.blob_path(digest), "ab") as file:
            file.write(b" ")
        self.assert_refused("has other content than its name says")
        for what, make, reason in [
                ("a pipe", lambda: os.mkfifo(index), "is no regular file"), ("a directory", lambda: os.mkdir(index), "is no regular file"),
                ("a link to what the user may not read", lambda: os.symlink("/etc/shadow", index), "Permission denied"),
                ("a link to itself", lambda: os.symlink(index, index), "Too many levels"), ("a link of the kernel", lambda: os.symlink("/proc/self/fd/0", index), "Too many levels"),
                ("a huge file", lambda: (write(b""), os.truncate(index, 1 << 40)), "is larger than 4 MiB"),
                ("no JSON", lambda: write(b"{"), "is no JSON object"), ("a list", lambda: write(b"[]"), "is no JSON object"),
                ("nested lists", lambda: write(b"[" * 1_000_000), "is no JSON object"), ("no manifests", lambda: write(b"{}"), "has no image"),
                ("manifests that are numbers", lambda: write(b'{"manifests": [1]}'), "no sha256 digest")]:
            with self.subTest(what):
                if os.path.isdir(index):
                    os.rmdir(index)
                    write(b"")
                with_index(make)
                self.assert_refused(reason)

    def test_it_is_read_as_the_user(self):
        self.layout.add_image([self.small()])
        os.chmod(self.layout.path, 0o700)
        self.assert_refused("Permission denied")


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("SKIPPED: unpacking layers needs root")
        sys.exit(77)
    index = sys.argv.index("--binary")
    unittest.main(argv=sys.argv[:index] + sys.argv[index + 2:])
