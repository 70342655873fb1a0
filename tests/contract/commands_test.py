#!/usr/bin/python3
"""Each operation of the API has a command, or a reason why it has none."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WITHOUT = {
    "HoldJob": "jobs hold calls ChangeJobs, for one job or several",
    "ReleaseJob": "jobs release calls ChangeJobs, for one job or several",
    "WatchChanges": "a stream for programs: pages, and events() in Python",
}


class Commands(unittest.TestCase):
    def test_each_operation_has_one(self):
        proto = (ROOT / "proto/gpu_platform/v1/control.proto").read_text(encoding="utf-8")
        operations = re.findall(r"^  rpc (\w+)\(", proto, re.MULTILINE)
        self.assertGreater(len(operations), 40)
        sources = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src/cmd").rglob("*.cc")))
        # A unary call names its method as text, a stream is a method of the stub.
        called = set(re.findall(r'"(\w+)"', sources)) | set(re.findall(r"->(\w+)\(", sources))
        self.assertEqual(sorted(set(operations) - called), sorted(WITHOUT))


if __name__ == "__main__":
    unittest.main()
