#!/usr/bin/python3
"""The packages and the tarball: what they hold, what they need, and that they are the same when they are built again.

packages_test.py --build DIRECTORY
"""

import filecmp
import gzip
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import by_hand
from build_packages import ROOT, make_packages

sys.path.insert(0, f"{ROOT}/tools")
from page_links import problems_of  # noqa: E402

NAMES = ["gpu-platform", "gpu-platform-agent", "gpu-platform-controller", "gpu-platform-doc", "gpu-platform-grafana", "gpu-platform-simulator",
         "python3-gpu-platform"]
GLIBC_MAX = (2, 36)  # Debian 12's
MEBIBYTE = 1 << 20
build = ""


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="gp-test-", dir="/var/tmp")
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        cls.packages = make_packages(build, os.path.join(cls.directory, "first"))

    def unpacked(self, name):
        """The directory of a package's files."""
        to = os.path.join(self.directory, "unpacked", name)
        if not os.path.exists(to):
            os.makedirs(to)
            subprocess.run(["dpkg-deb", "-x", self.packages[name], to], check=True)
        return to

    def field(self, name, field):
        return subprocess.run(["dpkg-deb", "-f", self.packages[name], field], check=True, capture_output=True, text=True).stdout.strip()

    def files(self, name):
        listed = subprocess.run(["dpkg-deb", "-c", self.packages[name]], check=True, capture_output=True, text=True).stdout
        return [line.split()[5][1:] for line in listed.splitlines() if not line.startswith("d")]

    def test_all_are_there(self):
        self.assertEqual(sorted(name for name in self.packages if not name.endswith("-dbgsym")), NAMES)

    def test_each_file_is_in_one(self):
        self.assertIn("/usr/bin/gpu-platform", self.files("gpu-platform"))
        self.assertIn("/lib/systemd/system/gpu-platform.service", self.files("gpu-platform-controller"))
        self.assertIn("/lib/systemd/system/gpu-platform-backup.timer", self.files("gpu-platform-controller"))
        self.assertIn("/lib/systemd/system/gpu-platform-agent.service", self.files("gpu-platform-agent"))
        self.assertIn("/usr/lib/gpu-platform/libnvidia-ml.so.1", self.files("gpu-platform-simulator"))
        self.assertIn("/usr/lib/python3/dist-packages/gpu_platform/client.py", self.files("python3-gpu-platform"))
        self.assertIn("/usr/share/gpu-platform/schema/controller.v1.json", self.files("gpu-platform"))
        self.assertIn("/usr/share/man/man1/gpu-platform-serve.1.gz", self.files("gpu-platform"))
        every = [path for name in NAMES for path in self.files(name)]
        self.assertEqual(sorted(path for path in set(every) if every.count(path) > 1), [])

    def test_every_installed_file_is_in_one(self):
        staged = os.path.join(self.directory, "installed")
        subprocess.run(["cmake", "--install", build, "--prefix", "/usr"], check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, DESTDIR=staged))
        installed = {os.path.relpath(os.path.join(directory, name), staged) for directory, _, names in os.walk(staged) for name in names}
        packed = {path.lstrip("/").removesuffix(".gz") for name in NAMES for path in self.files(name)}
        units = {path.replace("usr/lib/systemd", "lib/systemd") for path in installed}
        self.assertEqual(sorted(path for path in units if path.removesuffix(".gz") not in packed and "/dist-packages/" not in path), [])

    def test_links_of_installed_pages_lead_to_installed_files(self):
        together = os.path.join(self.directory, "together")
        for name in NAMES:
            subprocess.run(["dpkg-deb", "-x", self.packages[name], together], check=True)
        pages = list(pathlib.Path(together).rglob("*.md"))
        self.assertGreater(len(pages), 100)
        self.assertEqual([problem for page in pages for problem in problems_of(page)], [])

    def test_one_set_serves_several_releases(self):
        needs = self.field("gpu-platform", "Depends")
        self.assertEqual(sorted(re.sub(r" \(.*\)", "", one) for one in needs.split(", ")), ["adduser", "libc6", "libudev1"])
        for package, path in (("gpu-platform", "usr/bin/gpu-platform"), ("gpu-platform-simulator", "usr/lib/gpu-platform/libnvidia-ml.so.1")):
            symbols = subprocess.run(["objdump", "-T", f"{self.unpacked(package)}/{path}"], check=True, capture_output=True, text=True).stdout
            newest = max(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([\d.]+)", symbols))
            self.assertLessEqual(newest, GLIBC_MAX, path)

    def test_the_program_is_small(self):
        size = os.path.getsize(self.unpacked("gpu-platform") + "/usr/bin/gpu-platform")
        self.assertLess(size, 34 * MEBIBYTE, "12 MiB when it is packed")

    def test_built_again_they_are_the_same(self):
        """Also from files that were checked out at another time, long before the changelog's."""
        page = os.path.join(ROOT, "README.md")
        times = (os.stat(page).st_atime, os.stat(page).st_mtime)
        self.addCleanup(os.utime, page, times)
        os.utime(page, (10**9, 10**9))
        again = make_packages(build, os.path.join(self.directory, "second"))
        self.assertEqual(again.keys(), self.packages.keys())
        for name, path in again.items():
            self.assertTrue(filecmp.cmp(path, self.packages[name], shallow=False), name)
        tarballs = [by_hand.tarball(os.path.join(self.directory, which)) for which in ("first", "second")]
        self.assertTrue(filecmp.cmp(*tarballs, shallow=False))

    def test_the_tarball_has_the_files_of_the_packages(self):
        packed = {path: path.replace("/usr/", "/").lstrip("/").replace("lib/python3/dist-packages", "python").replace("vendor-completions", "site-functions")
                  for name in NAMES for path in self.files(name) if not re.search(r"/lintian/|/(changelog\.gz|copyright)$", path)}
        with gzip.open(by_hand.tarball(os.path.join(self.directory, "first"))) as compressed:
            whole = io.BytesIO(compressed.read())  # its files are read in the packages' order, and a stream goes back by starting over
        with tarfile.open(fileobj=whole) as tarball:
            files = {member.name.partition("/")[2]: member for member in tarball if not member.isdir()}
            self.assertEqual(sorted(files), sorted([*packed.values(), "INSTALL", "LICENSE"]))
            self.assertEqual({(member.uid, member.gid) for member in files.values()}, {(0, 0)})
            for name in NAMES:
                for path in set(self.files(name)) & packed.keys():
                    with open(self.unpacked(name) + path, "rb") as file:
                        theirs = file.read()
                    if path.endswith(".service"):
                        theirs = theirs.replace(b"/usr/", b"/usr/local/")
                    self.assertEqual(tarball.extractfile(files[packed[path]]).read(), theirs, path)

    def test_the_version_is_that_of_the_program(self):
        shown = subprocess.run([f"{build}/bin/gpu-platform", "version"], check=True, capture_output=True, text=True).stdout
        self.assertIn(self.field("gpu-platform", "Version"), shown)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["--build"]:
        build = os.path.abspath(arguments[1])
        arguments = arguments[2:]
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)
