"""The topology experiment, small: what is claimed of the placement holds, and what is not claimed too."""

import json
import subprocess
import sys
import unittest

import gain

BINARY = sys.argv.pop(1)
SWITCHED = {"dgx2": 6 * 25, "dgx-a100": 12 * 25, "dgx-h100": 18 * 25, "hgx-h200": 18 * 25, "dgx-b200": 18 * 50}


def fails(*words):
    done = subprocess.run([BINARY, "topology", *words], capture_output=True, text=True)
    return done.returncode, done.stderr


class Topology(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = gain.measure(BINARY, 3_000, 2)

    def test_every_pair_is_equal_behind_switches(self):
        for machine, rate in SWITCHED.items():
            for policy, row in self.results[machine].items():
                self.assertAlmostEqual(row["mean_pair_gb_s"], rate, msg=f"{machine} {policy}")
                self.assertAlmostEqual(row["worst_pair_gb_s"], rate, msg=f"{machine} {policy}")

    def test_links_that_differ_are_worth_knowing(self):
        rows = self.results["dgx-1v"]
        for policy in ("socket", "firstfit", "random"):
            self.assertGreater(rows["default"]["mean_pair_gb_s"], 1.1 * rows[policy]["mean_pair_gb_s"], policy)
            self.assertGreater(rows["default"]["worst_pair_gb_s"], 1.1 * rows[policy]["worst_pair_gb_s"], policy)

    def test_pcie_gains_little_and_only_by_the_socket(self):
        rows = self.results["l40s-4"]
        self.assertGreater(rows["default"]["worst_pair_gb_s"], rows["random"]["worst_pair_gb_s"])
        self.assertLess(rows["default"]["worst_pair_gb_s"], 1.16 * rows["random"]["worst_pair_gb_s"])

    def test_cores_are_beside_the_gpus_more_often_than_with_any_peer(self):
        for machine, rows in self.results.items():
            for policy in ("socket", "firstfit", "random"):
                self.assertGreater(rows["default"]["served_numa_pct"], rows[policy]["served_numa_pct"], f"{machine} {policy}")

    def test_nobody_waits_much_longer_for_it(self):
        for machine, rows in self.results.items():
            best = min(row["mean_wait_s"] for row in rows.values())
            self.assertLess(rows["default"]["mean_wait_s"], 1.25 * best, machine)

    def test_the_same_seed_plays_the_same(self):
        one, two, other = (gain.play(BINARY, "l40s-4", 500, 1, first) for first in (7, 7, 8))
        self.assertEqual(one, two)
        self.assertNotEqual([d["mean_wait_s"] for d in one], [d["mean_wait_s"] for d in other])

    def test_a_table_has_a_row_for_each_policy(self):
        words = [BINARY, "topology", "--machine", "l40s-4", "--jobs", "100", "-o", "csv"]
        lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
        self.assertEqual([line.split(",")[1] for line in lines[1:]], list(gain.POLICIES))

    def test_all_machines_are_those_where_there_is_something_to_choose(self):
        words = [BINARY, "topology", "--policy", "firstfit", "--jobs", "20", "-o", "csv"]
        lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
        self.assertEqual([line.split(",")[0] for line in lines[1:]], ["dgx-a100", "dgx-b200", "dgx-h100", "dgx2", "hgx-h200", "l40s-4"])

    def test_one_policy_alone(self):
        words = [BINARY, "topology", "--machine", "l40s-4", "--jobs", "100", "--policy", "socket", "-o", "json"]
        documents = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        self.assertEqual([d["policy"] for d in documents], ["socket"])

    def test_mistakes_are_told_with_their_fix(self):
        self.assertEqual(fails("--policy", "best")[0], 2)
        self.assertIn('no policy "best"; there are all, default, socket, firstfit, random', fails("--policy", "best")[1])
        self.assertIn("fewer than two GPUs", fails("--machine", "t4-laptop")[1])
        self.assertEqual(fails("--machine", "dgx-9")[0], 3)
        self.assertEqual(fails("--nodes", "1")[0], 2)


if __name__ == "__main__":
    unittest.main()
