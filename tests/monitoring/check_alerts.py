#!/usr/bin/python3
"""Alert rules: sound, each fires and clears in its test, has a page that says what to do, and asks for series that are documented."""

import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
RULES = SOURCE / "deploy/prometheus/alerts.yaml"
TESTS = SOURCE / "tests/monitoring/alerts_test.yaml"


def promtool(*words):
    done = subprocess.run(["promtool", *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Alerts(unittest.TestCase):
    def setUp(self):
        self.rules = RULES.read_text()
        self.names = re.findall(r"- alert: (\w+)", self.rules)

    def test_rules_are_sound(self):
        code, told = promtool("check", "rules", RULES)
        self.assertEqual(code, 0, told)
        self.assertGreaterEqual(len(self.names), 12)
        self.assertEqual(len(self.names), len(set(self.names)))

    def test_they_fire_and_clear(self):
        code, told = promtool("test", "rules", TESTS)
        self.assertEqual(code, 0, told)
        for name in self.names:
            looks = re.findall(rf"alertname: {name}, exp_alerts: \[\]", TESTS.read_text())
            fires = re.findall(rf"alertname: {name}\n    exp_alerts:\n    - exp_labels", TESTS.read_text())
            self.assertGreaterEqual((len(looks), len(fires)), (2, 1), f"{name}: before, while and after")

    def test_each_has_its_page(self):
        index = (SOURCE / "docs/runbooks/README.md").read_text()
        for name in self.names:
            self.assertIn(f"runbook: docs/runbooks/{name}.md", self.rules)
            page = (SOURCE / f"docs/runbooks/{name}.md").read_text()
            self.assertTrue(page.startswith(f"# {name}\n"))
            self.assertIn("\n1. ", page)
            self.assertIn(f"({name}.md)", index)
        pages = {path.stem for path in (SOURCE / "docs/runbooks").glob("*.md")} - {"README"}
        self.assertEqual(pages, set(self.names))

    def test_they_ask_for_series_that_there_are(self):
        known = (SOURCE / "docs/reference/metrics.md").read_text()
        for series in set(re.findall(r"gpu_platform_\w+", self.rules)):
            self.assertIn(f"`{series}`", known)

    def test_pages_name_commands_and_flags_that_there_are(self):
        text = (SOURCE / "docs/reference/cli.md").read_text()
        known = dict(re.findall(r"^## gpu-platform ?([a-z -]*)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
        checked = 0
        for page in (SOURCE / "docs/runbooks").glob("*.md"):
            for typed in re.findall(r"`gpu-platform ([a-z][^`]*)`", page.read_text()):
                words = typed.split()
                command = next((name for name in (" ".join(words[:3]), " ".join(words[:2]), words[0]) if name in known), None)
                self.assertIsNotNone(command, f"{page.name}: gpu-platform {typed}")
                for flag in re.findall(r"--[a-z-]+", typed):
                    self.assertIn(f"{flag}", known[command] + known[""], f"{page.name}: gpu-platform {typed}")
                checked += 1
        self.assertGreater(checked, 20)


if __name__ == "__main__":
    unittest.main()
