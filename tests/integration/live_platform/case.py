"""The base of tests with real processes, and the main program of every test file."""

import os
import sys
import unittest

from reachable import reachable

from .cluster import Cluster

SKIPPED = 77  # what CTest takes as skipped

binary = os.environ.get("GP_BINARY", "")


class ClusterTest(unittest.TestCase):
    """Each test gets a cluster of its own with the class's `options`, or makes one by itself.

    After a test that passed, the jobs are ended, nothing may be left over, every daemon must end
    well, and the journal must replay without differences.
    """

    options = {}
    settles = True  # False: the test leaves a cluster that cannot be settled
    longMessage = True

    def setUp(self):
        self.cluster = Cluster(binary, **self.options)
        self.addCleanup(self.cluster.close)
        self.cluster.start()
        self.cli = self.cluster.cli

    def tearDown(self):
        if not self._outcome.success:
            sys.stderr.write(f"{self.id()}\n{self.cluster.logs()}\n")
            return
        if not self.settles:
            return
        self.cluster.settle()
        self.assertEqual(set(self.cluster.stop()), {0}, self.cluster.logs())
        # An agent kills its fork server, and does not wait for ever until the kernel has released it.
        self.cluster.await_empty()
        self.assert_replays()

    def assert_replays(self):
        report = self.cluster.replay()
        self.assertGreater(report["records"], 0)
        self.assertEqual(report["differences"], [])

    def assert_job(self, job, **expected):
        """The job as described has these fields; returns it."""
        seen = self.cli.job(job)
        self.assertEqual({key: seen.get(key) for key in expected}, expected, seen)
        return seen


def main():
    """Runs the tests of the calling file: [--binary FILE] [unittest's own arguments]."""
    global binary
    arguments = sys.argv[1:]
    if "--binary" in arguments:
        at = arguments.index("--binary")
        binary = arguments[at + 1]
        del arguments[at:at + 2]
    if not os.access(binary, os.X_OK):
        sys.exit(f"no program to test: \"{binary}\" (--binary FILE, or GP_BINARY)")
    binary = reachable(binary)
    if os.geteuid() != 0:
        sys.stderr.write("SKIPPED: these tests need root: they run jobs as other users, isolated "
                         "by cgroups\n")
        sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)
    unittest.main(module="__main__", argv=[sys.argv[0], *arguments], verbosity=2)
