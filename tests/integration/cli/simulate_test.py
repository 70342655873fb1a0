"""Simulations of scenarios: figures, reports, mistakes, and progress on a terminal."""
import json
import os
import pathlib
import pty
import re
import subprocess
import tempfile
import unittest

import cluster

SCENARIOS = cluster.SOURCE / "examples" / "scenarios"
TRACE = cluster.SOURCE / "data" / "traces" / "philly-2017" / "philly_jobs.csv.gz"


def run(*words):
    return cluster.run("simulate", *map(str, words), timeout=300)


def run_on_terminal(*words):
    """What the command writes to stderr where that is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([cluster.PROGRAM, "simulate", *map(str, words)], stdout=subprocess.DEVNULL, stderr=theirs,
                               env={**os.environ, "LC_ALL": "C.UTF-8"})
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    os.close(ours)
    return process.wait(), written.decode()


class Scenario(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def scenario(self, text):
        path = self.directory / "scenario.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def figures(self, *words):
        done = run("scenario", *words, "-o", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_every_example_is_played_and_again_the_same(self):
        for path in sorted(SCENARIOS.glob("*.yaml")):
            first = self.figures(path)
            self.assertGreater(first["ended"], 0, path)
            self.assertEqual(first["refused"], 0, path)
            self.assertEqual(first, self.figures(path))

    def test_figures_and_what_they_cost(self):
        path = self.scenario("nodes: [{machine: dgx-h100}]\n"
                             "jobs: [{count: 2, length: 3h, job: {queue: default, resources: {gpus: 8}}}]\n")
        told = self.figures(path, "--price", "H100=2.50")
        self.assertEqual((told["jobs"], told["ended"]), (2, 2))
        self.assertEqual(told["wait"]["max_s"], 3 * 3600)
        self.assertEqual(told["gpu_hours_held"], 48)
        self.assertEqual(told["cost"], {"installed": 120, "held": 120, "models_without_price": []})
        self.assertEqual(self.figures(path, "--price", "A100=1")["cost"]["models_without_price"], ["NVIDIA H100 80GB HBM3"])
        self.assertNotIn("cost", self.figures(path))
        self.assertRegex(run("scenario", path).stdout, r"longest wait +3h\n")
        refused = run("scenario", path, "--price", "H100=much")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--price", refused.stderr)

    def test_a_lost_node_costs_the_gang_its_attempt(self):
        told = self.figures(SCENARIOS / "lost-node.yaml")
        self.assertEqual(told["attempts_lost"], 1)
        self.assertEqual(told["ended"], told["jobs"])

    def test_mistakes_are_pointed_at(self):
        refused = run("scenario", self.scenario("nodes: [{machine: dgx-h100, cout: 2}]\njobs: [{length: 1h}]\n"))
        self.assertEqual(refused.returncode, 2)
        self.assertEqual(refused.stdout, "")
        self.assertRegex(refused.stderr, r'scenario.yaml:1:29: error GP1007: unknown key "cout".*did you mean "count"')
        self.assertIn("nothing simulated", refused.stderr)
        self.assertNotEqual(run("scenario", self.directory / "none.yaml").returncode, 0)

    def test_files_are_looked_for_beside_the_scenario(self):
        (self.directory / "jobs.csv").write_text("submit_s,duration_s,num_gpus\n0,60,4\n30,60,8\n", encoding="utf-8")
        path = self.scenario("nodes: [{machine: dgx-h100}]\njobs: [{trace: {file: jobs.csv}}]\n")
        told = self.figures(path)
        self.assertEqual(told["wait"]["max_s"], 30)

    def test_a_report_is_one_page(self):
        report = self.directory / "report.html"
        self.figures(SCENARIOS / "two-teams.yaml", "--report", report)
        page = report.read_text(encoding="utf-8")
        self.assertEqual(page.count("<svg"), 4)
        self.assertIn("{path: vision, guaranteed: 16}", page)
        self.assertNotRegex(page, r"https?:")
        self.assertNotEqual(run("scenario", SCENARIOS / "two-teams.yaml", "--report", "/nowhere/report.html").returncode, 0)

    def test_long_work_tells_a_terminal_how_far_it_is(self):
        path = self.scenario(f"nodes: [{{machine: dgx-h100, count: 100}}]\njobs: [{{trace: {{file: {TRACE}, jobs: 20000, load: 200%}}, job: {{preemptible: true}}}}]\n")
        code, written = run_on_terminal("scenario", path)
        self.assertEqual(code, 0)
        lines = [line for line in re.split(r"\r", written) if "simulated day" in line]
        self.assertTrue(lines, written or "it was done before anybody could have looked")
        for line in lines:
            self.assertRegex(line, r"^simulated day \d+ of \d+ · \d+ %( · about \d+ (s|min|h) left)?\x1b\[K$")
        self.assertTrue(written.endswith("\r\x1b[K"), written[-80:])
        self.assertEqual(run_on_terminal("scenario", path, "-q"), (0, ""))
        self.assertEqual(run_on_terminal("scenario", SCENARIOS / "lost-node.yaml"), (0, ""), "short work tells nothing")
        self.assertEqual(run("scenario", path).stderr, "", "nor does it where stderr is a file")


if __name__ == "__main__":
    unittest.main()
