#!/usr/bin/python3
"""Tests the dashboard of a real controller in a real browser: every page in both themes, every action, charts, keyboard only,
script injections, 10,000 jobs; and the page of the API.  web/tests/dashboard.mjs and docs.mjs drive Debian's Chromium.

GP_WEB_TOOLS: the directory where npm installed the browser driver (build/release/web/tools).
GP_PICTURES: the directory for screenshots of all pages."""

import os
import pathlib
import shutil
import subprocess
import sys

from live_platform import ClusterTest, main

TOOLS = pathlib.Path(os.environ.get("GP_WEB_TOOLS", ""))
TESTS = pathlib.Path(__file__).resolve().parents[3] / "web/tests"


class Dashboard(ClusterTest):
    options = {"serve_flags": ("--http", "127.0.0.1:0"), "machine": "dgx-h100", "nodes": 1}
    settles = False  # 10,000 jobs stay pending

    def test_pages_and_actions(self):
        self._drive("dashboard.mjs")

    def test_operations_are_tried_on_the_page_of_the_api(self):
        self._drive("docs.mjs")

    def _drive(self, script):
        tests = shutil.copytree(TESTS, TOOLS / "tests", dirs_exist_ok=True)  # beside the modules that they import
        link = self.cli("-q", "dashboard", "--role", "admin").ok().out.strip()
        pictures = os.environ.get("GP_PICTURES") or os.path.join(self.cluster.directory, "pictures")
        done = subprocess.run(["node", script, link, pictures], cwd=tests, capture_output=True, text=True, timeout=500, check=False)
        print(done.stdout, flush=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.cluster.controller.runs())

    def test_the_link_needs_a_controller_that_answers_browsers(self):
        os.unlink(os.path.join(self.cluster.run_directory, "http-address"))
        refused = self.cli("dashboard")
        self.assertEqual(refused.code, 8)
        self.assertIn("--http 127.0.0.1:8080", refused.err)


if __name__ == "__main__":
    missing = [name for name in ("node", "chromium") if shutil.which(name) is None]
    if missing or not (TOOLS / "node_modules/playwright-core").is_dir():
        sys.stderr.write(f"SKIPPED: no browser test: {missing or 'npm modules'} missing\n")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    main()
