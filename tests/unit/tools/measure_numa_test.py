"""tools/measure-numa: its pure parts, without a driver, and with one that is a few lines of C."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
from numa import memory, report  # noqa: E402


def call(*words, **environment):
    return subprocess.run([sys.executable, "-B", ROOT / "tools/measure-numa", *words], capture_output=True, text=True,
                          env=dict(os.environ, **environment))


class Lists(unittest.TestCase):
    def test_the_kernels_lists(self):
        self.assertEqual(memory.parse_list("0-2,8\n"), [0, 1, 2, 8])
        self.assertEqual(memory.parse_list("\n"), [])
        for bad in ("3-1", "a", "0-x"):
            with self.assertRaises(ValueError, msg=bad):
                memory.parse_list(bad)

    def test_nodes_have_memory_and_are_allowed(self):
        with tempfile.TemporaryDirectory() as directory:
            pathlib.Path(directory, "has_memory").write_text("0-1,4\n")
            status = pathlib.Path(directory, "status")
            status.write_text("Name:\tx\nMems_allowed_list:\t1-7\n")
            self.assertEqual(memory.nodes(directory, status), [1, 4])
            self.assertEqual(memory.nodes(directory + "/none", status), [0])

    def test_own_node_is_unknown_rather_than_zero(self):
        with tempfile.TemporaryDirectory() as directory:
            for device, text in (("0000:1b:00.0", "1\n"), ("0000:1c:00.0", "-1\n")):
                pathlib.Path(directory, device).mkdir()
                pathlib.Path(directory, device, "numa_node").write_text(text)
            self.assertEqual(memory.own_node("0000:1B:00.0", directory), 1)
            self.assertIsNone(memory.own_node("0000:1c:00.0", directory))
            self.assertIsNone(memory.own_node("0000:1d:00.0", directory))


class Report(unittest.TestCase):
    def test_medians_and_the_mark(self):
        row = report.median_row(1, 1, [90.0, 1.0, 5.004], [2.0, 4.0])
        self.assertEqual(row, {"node": 1, "own": True, "to_gpu_gb_s": 5.0, "from_gpu_gb_s": 3.0})
        self.assertFalse(report.median_row(0, None, [1.0], [1.0])["own"])

    def test_table(self):
        gpu = {"uuid": "GPU-x", "nodes": [report.median_row(node, 1, [25.0 + node], [20.5]) for node in (0, 1)]}
        head, other, own = report.table([gpu]).splitlines()
        self.assertTrue(head.startswith("GPU"))
        self.assertEqual(other.split(), ["GPU-x", "0", "25.00", "20.50"])
        self.assertEqual(own.split(), ["GPU-x", "1*", "26.00", "20.50"])


class Bound(unittest.TestCase):
    def test_pages_are_where_they_should_be(self):
        try:
            bound = memory.BoundMemory(1 << 20, memory.nodes()[0])
        except OSError as error:
            self.skipTest(f"no binding of memory here: {error}")
        bound.node = memory.nodes()[0] + 1
        with self.assertRaisesRegex(OSError, "its pages are on"):
            bound.check()
        bound.close()

    def test_a_node_that_is_not_there_is_refused(self):
        with self.assertRaises(OSError):
            memory.BoundMemory(1 << 20, 900)


class Program(unittest.TestCase):
    def test_without_a_driver_it_says_so_and_ends_with_8(self):
        done = call("--library", "/nonexistent/libcuda.so.1")
        self.assertEqual((done.returncode, done.stdout), (8, ""))
        self.assertIn("cannot load NVIDIA's driver", done.stderr)
        self.assertIn("run it on a machine with an NVIDIA GPU", done.stderr)

    def test_wrong_words_end_with_2(self):
        for words in (["--runs", "0"], ["-o", "xml"], ["--size-mib", "9999"]):
            self.assertEqual(call(*words).returncode, 2, words)


@unittest.skipUnless(shutil.which("cc"), "no C compiler for the fake driver")
class WithDriver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.library = cls.directory.name + "/libcuda.so.1"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", cls.library, ROOT / "tests/unit/tools/fake_cuda.c"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def measure(self, *words, **environment):
        return call("--library", self.library, "--size-mib", "4", "--runs", "3", *words, **environment)

    def test_each_node_is_measured(self):
        done = self.measure("-o", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        (gpu,) = json.loads(done.stdout)
        self.assertEqual((gpu["uuid"], gpu["model"], gpu["own_node"]), ("GPU-abababab-abab-abab-abab-abababababab", "Fake", None))
        self.assertEqual([row["node"] for row in gpu["nodes"]], memory.nodes())
        for row in gpu["nodes"]:
            self.assertGreater(row["to_gpu_gb_s"], 0)
            self.assertGreater(row["from_gpu_gb_s"], 0)

    def test_a_refused_call_is_named_and_ends_with_1(self):
        done = self.measure(FAKE_CUDA_FULL="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cuMemAlloc_v2 failed with CUDA error 2", done.stderr)

    def test_no_gpu_is_as_good_as_no_driver(self):
        done = self.measure(FAKE_CUDA_NO_GPU="1")
        self.assertEqual(done.returncode, 8)
        self.assertIn("shows no GPU", done.stderr)


if __name__ == "__main__":
    unittest.main()
