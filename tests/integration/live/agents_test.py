#!/usr/bin/python3
"""Many agents on one controller: none is lost beside the calls of users, and all come back to a controller that was killed."""

import argparse
import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BENCHMARK = os.path.join(HERE, "..", "..", "benchmarks", "agents.py")


class ManyAgents(unittest.TestCase):
    binary = None

    def play(self, *flags):
        return json.loads(subprocess.run([sys.executable, "-B", BENCHMARK, "--binary", self.binary, *flags], stdout=subprocess.PIPE, text=True, check=True, timeout=180).stdout)

    def test_none_is_lost_beside_the_calls_of_users(self):
        seen = self.play("--agents", "500", "--seconds", "8", "--load")
        self.assertEqual((seen["joined"], seen["nodes_not_up"], seen["ended"], seen["calls_failed"]), (500, 0, {}, 0))
        self.assertEqual(seen["answers"], seen["messages"], "each heartbeat is answered")
        self.assertGreater(seen["events"], seen["submits"], "a job that is submitted is started, too")
        self.assertLessEqual(seen["threads"], 64)

    def test_all_come_back_to_a_controller_that_was_killed(self):
        seen = self.play("--agents", "100", "--seconds", "12", "--tls", "--restart")
        self.assertEqual((seen["joined"], sum(seen["ended"].values()), seen["nodes_not_up"]), (100, 100, 0))
        self.assertGreater(seen["rejoined_s"], 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    options, rest = parser.parse_known_args()
    ManyAgents.binary = options.binary
    unittest.main(argv=[sys.argv[0], *rest])
