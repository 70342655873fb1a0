"""tools/ship-docs: which links it keeps, rewrites and turns into text, what it leaves out, and what it refuses."""

import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHARED = ("data/machines", "data/schema", "deploy/grafana", "deploy/prometheus", "examples")
HERE = "docs/how-to/page.md"


class ShipDocs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.source = pathlib.Path(scratch.name, "source")
        self.share = pathlib.Path(scratch.name, "usr/share")
        self.pages = self.share / "doc/gpu-platform"
        for page in ("README.md", "CHANGELOG.md", "SECURITY.md", "docs/README.md", "docs/design.md"):
            self.plant(page, f"# {page}\n\n## A `heading`\n")

    def plant(self, path, text="\n"):
        (self.source / path).parent.mkdir(parents=True, exist_ok=True)
        (self.source / path).write_text(text, encoding="utf-8")

    def ship(self, *directories, source=None, umask=0o022):
        return subprocess.run([sys.executable, "-B", ROOT / "tools/ship-docs", source or self.source, self.share, *directories],
                              capture_output=True, text=True, check=False, umask=umask)

    def install(self, *directories, source=None):
        """As cmake does before."""
        for directory in directories:
            shutil.copytree((source or self.source) / directory, self.share / "gpu-platform" / pathlib.Path(directory).name)

    def shipped(self, place, *directories):
        """The text of an installed page."""
        done = self.ship(*directories)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (self.share / place).read_text(encoding="utf-8")

    def assert_becomes(self, text, installed):
        self.plant(HERE, text)
        self.assertEqual(self.shipped("doc/gpu-platform/how-to/page.md"), installed)

    def assert_refused(self, problem, *directories):
        done = self.ship(*directories)
        self.assertEqual(done.returncode, 1)
        self.assertIn(problem, done.stderr)

    def test_links_within_the_documentation_stay(self):
        self.plant("docs/figures/a.svg", "<svg/>\n")
        text = "# P\n\n[a](../design.md#a-heading), ![b](../figures/a.svg), [`c[0-1]`](#p), [d](..), [e](https://example.org/src/x.md)\n"
        self.assert_becomes(text, text)
        self.assertEqual((self.pages / "figures/a.svg").read_text(encoding="utf-8"), "<svg/>\n")

    def test_each_readme_has_a_place_and_links_follow(self):
        self.plant("README.md", "[index](docs/README.md#a-heading), [all](docs), [changes](CHANGELOG.md), [design](docs/design.md)\n")
        self.assert_becomes("[index](../README.md#a-heading), [project](../../README.md)\n", "[index](../index.md#a-heading), [project](../README.md)\n")
        self.assertEqual((self.pages / "README.md").read_text(encoding="utf-8"),
                         "[index](index.md#a-heading), [all](.), [changes](CHANGELOG.md), [design](design.md)\n")

    def test_links_to_shared_directories_and_from_them(self):
        self.plant("deploy/jobs/small/a.yaml")
        self.plant("deploy/jobs/README.md", "[design](../../docs/design.md), [small](small), [code](../../src/a.cc)\n")
        self.plant("src/a.cc")
        self.install("deploy/jobs")
        self.plant(HERE, "[a](../../deploy/jobs/small/a.yaml), [jobs](../../deploy/jobs/), [deploy](../../deploy)\n")
        self.assertEqual(self.shipped("doc/gpu-platform/how-to/page.md", "deploy/jobs"),
                         "[a](../../../gpu-platform/jobs/small/a.yaml), [jobs](../../../gpu-platform/jobs), deploy\n")
        self.assertEqual((self.share / "gpu-platform/jobs/README.md").read_text(encoding="utf-8"),
                         "[design](../../doc/gpu-platform/design.md), [small](small), code (`src/a.cc`)\n")

    def test_links_to_what_is_not_installed_become_text(self):
        for path in ("src/cluster/decide/decide_job.cc", "Makefile", "tests/README.md"):
            self.plant(path, "# T\n")
        for words, text in (("the decision", "the decision (`src/cluster/decide/decide_job.cc`)"),
                            ("`decide_job.cc`", "`src/cluster/decide/decide_job.cc`"),
                            ("`cluster/decide_job`", "`src/cluster/decide/decide_job.cc`"),
                            ("`decide_job`", "`decide_job` (`src/cluster/decide/decide_job.cc`)"),
                            ("`decide/cluster`", "`decide/cluster` (`src/cluster/decide/decide_job.cc`)"),
                            ("see `src/cluster/decide/decide_job.cc`", "see `src/cluster/decide/decide_job.cc`")):
            self.assert_becomes(f"([{words}](../../src/cluster/decide/decide_job.cc))\n", f"({text})\n")
        self.assert_becomes("[make](../../Makefile), [`src`](../../src/), [tests](../../tests/README.md#t)\n",
                            "make (`Makefile`), `src`, tests (`tests/README.md`)\n")

    def test_code_is_left(self):
        self.plant("src/a.cc")
        code = "```sh\n[a](../../src/a.cc)\n<!-- ci is: x -->\n\n\n```\n\n1. One\n   ```text\n   [b](../../src/a.cc)\n   ```\n"
        self.assert_becomes(code, code)
        spans = "`f[0](x)` and `` `g` [1](y) `` and "
        self.plant("docs/how-to/x")
        self.plant("docs/how-to/y")
        self.assert_becomes(spans + "[a](../../src/a.cc)\n", spans + "a (`src/a.cc`)\n")

    def test_comments_go_and_leave_no_gap(self):
        block = "```sh\ntrue\n```\n"
        self.assert_becomes(f"# T\n\n<!-- ci skip: `x` -->\n{block}", f"# T\n\n{block}")
        self.assert_becomes(f"# T\n\n<!-- ci\ngiven: a\nwith: a => b\n-->\n{block}\n<!-- ci is: x -->\n{block}", f"# T\n\n{block}\n{block}")
        self.assert_becomes("<!-- Written by x. -->\n# T\n\n<!-- a -->\n<!-- b -->\n\nText\n<!-- c -->\n\nEnd\n", "# T\n\nText\n\nEnd\n")
        self.assert_becomes("1. One\n\n   <!-- ci is: x -->\n   ```sh\n   true\n   ```\n", "1. One\n\n   ```sh\n   true\n   ```\n")

    def test_a_dead_link_is_refused(self):
        self.plant(HERE, "# T\n\n```sh\ntrue\n```\n[gone](../../src/gone.cc)\n")
        self.assert_refused(f"{self.source / HERE}:6: ../../src/gone.cc: no such file\n")
        self.plant(HERE, "[gone](../README.md#gone)\n")
        self.assert_refused(f"{self.source / HERE}:1: ../README.md#gone: no such heading\n")

    def test_a_link_that_is_dead_as_installed_is_refused(self):
        self.plant("examples/a.yaml")
        self.plant(HERE, "<!-- a -->\n[a](../../examples/a.yaml)\n")
        self.assert_refused(f"{self.pages / 'how-to/page.md'}:1: ../../../gpu-platform/examples/a.yaml: no such file\n", "examples")

    def test_two_files_for_one_place_are_refused(self):
        self.plant("docs/index.md")
        self.assert_refused("docs/index.md: docs/README.md has its place, doc/gpu-platform/index.md\n")

    def test_all_may_read_and_dates_stay(self):
        self.plant("docs/a/run.sh")
        (self.source / "docs/a/run.sh").chmod(0o700)
        os.utime(self.source / "docs/design.md", (10**9, 10**9))
        self.assertEqual(self.ship(umask=0o077).returncode, 0)
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (self.pages, self.pages / "a", self.pages / "a/run.sh")]
        self.assertEqual(modes, [0o755, 0o755, 0o644])
        self.assertEqual((self.pages / "design.md").stat().st_mtime, 10**9)

    def test_the_documentation_of_this_tree(self):
        self.install(*SHARED, source=ROOT)
        done = self.ship(*SHARED, source=ROOT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        pages = list(self.pages.rglob("*.md"))
        self.assertGreater(len(pages), 100)
        self.assertEqual([page for page in pages if "\n<!--" in page.read_text(encoding="utf-8")], [])


if __name__ == "__main__":
    unittest.main()
