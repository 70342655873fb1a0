#!/usr/bin/python3
"""A recorded run, played again from its journal: as it was, with another node, under another policy."""

import os

from live_platform import ClusterTest, eventually, main


class WhatIf(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 1, "serve_flags": ()}

    def record(self):
        """Three jobs that want the whole node, one after the other; the path of the journal."""
        jobs = [self.cli.start("--gpus", "8", command=["sleep", "1.5"]) for _ in range(3)]
        eventually(lambda: all(self.cli.job(job)["detail"] == "COMPLETED" for job in jobs), "all have run", timeout=60)
        self.settles = False
        self.node = self.cluster.node_names()[0]
        self.cluster.settle()
        self.assertEqual(set(self.cluster.stop()), {0}, self.cluster.logs())
        return f"{self.cluster.state}/journal.db"

    def test_it_is_played_as_it_was_and_with_another_node(self):
        journal = self.record()
        told = self.cli("replay", journal, "--nodes", "+1xdgx-h100", "-o", "json").ok().json
        recorded, played, what_if = told["recorded"], told["played"], told["what_if"]
        self.assertEqual([one["ended"] for one in (recorded, played, what_if)], [3, 3, 3])
        self.assertGreater(recorded["wait"]["max_s"], 2)
        # Starting and ending take a moment in the world, and none here.
        self.assertLess(abs(played["wait"]["max_s"] - recorded["wait"]["max_s"]), 3)
        self.assertLess(what_if["wait"]["max_s"], played["wait"]["max_s"] * 0.75)
        self.assertGreater(what_if["wait"]["max_s"], 1)
        # The nodes are there before the first submit: a little more than 16 GPUs for the span of the jobs.
        self.assertGreaterEqual(what_if["gpu_hours_installed"], 15.9 * what_if["span_h"])
        self.assertLess(played["gpu_hours_installed"], 0.75 * what_if["gpu_hours_installed"] * played["span_h"] / what_if["span_h"])
        text = self.cli("replay", journal, f"--nodes=-{self.node}").ok().out
        self.assertRegex(text, r"never started +0 +0 +3")

    def test_it_is_drawn_and_costs_something(self):
        journal = self.record()
        report = os.path.join(self.cluster.state, "report.html")
        told = self.cli("replay", journal, "--nodes", "+1xdgx-h100", "--price", "H100=2", "--report", report, "-o", "json").ok().json
        self.assertAlmostEqual(told["recorded"]["cost"]["installed"], 2 * told["recorded"]["gpu_hours_installed"], places=4)
        self.assertAlmostEqual(told["what_if"]["cost"]["held"], 2 * told["what_if"]["gpu_hours_held"], places=4)
        with open(report, encoding="utf-8") as file:
            page = file.read()
        self.assertEqual(page.count("<svg"), 12, "four pictures of each of the three")
        self.assertIn("+1xdgx-h100", page)
        self.assertIn(self.node, page)

    def test_it_is_a_source_of_a_scenario(self):
        journal = self.record()
        alone = os.path.join(self.cluster.state, "alone.yaml")
        with open(alone, "w", encoding="utf-8") as file:
            file.write("jobs: [{journal: journal.db}]\n")
        told = self.cli("simulate", "scenario", alone, "-o", "json").ok().json
        self.assertEqual((told["jobs"], told["ended"], told["refused"]), (3, 3, 0))
        self.assertGreater(told["wait"]["max_s"], 1)
        # The same jobs on four nodes, and one more.
        more = os.path.join(self.cluster.state, "more.yaml")
        with open(more, "w", encoding="utf-8") as file:
            file.write("nodes: [{machine: dgx-h100, count: 4}]\njobs:\n  - journal: {file: journal.db, nodes: false}\n  - {length: 1h}\n")
        told = self.cli("simulate", "scenario", more, "-o", "json").ok().json
        self.assertEqual((told["jobs"], told["ended"]), (4, 4))
        self.assertLess(told["wait"]["max_s"], 1)

    def test_another_policy_is_read_from_a_file(self):
        journal = self.record()
        policy = os.path.join(self.cluster.state, "policy.yaml")
        with open(policy, "w", encoding="utf-8") as file:
            file.write("min_run: 1s\nreserve_after: 1s\n")
        told = self.cli("replay", journal, "--what-if", policy, "-o", "json").ok().json
        self.assertEqual(told["what_if"]["ended"], 3)
        with open(policy, "w", encoding="utf-8") as file:
            file.write("min_rum: 1s\n")
        refused = self.cli("replay", journal, "--what-if", policy)
        self.assertEqual(refused.code, 2)
        self.assertIn("policy.yaml:1:1", refused.err)
        self.assertIn("did you mean \"min_run\"", refused.err)
        for nodes in ("2xdgx-h100", "+0xdgx-h100", "+1xdgx-h999", "-"):
            self.assertNotEqual(self.cli("replay", journal, f"--nodes={nodes}").code, 0, nodes)


if __name__ == "__main__":
    main()
