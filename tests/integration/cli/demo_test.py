"""The demo: does what it says, notices what is wrong, leaves nothing behind."""
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import cluster

IS_ROOT = os.geteuid() == 0


class Demo(unittest.TestCase):
    def assert_nothing_left(self, directory, cgroups):
        self.assertFalse(os.path.exists(directory), f"{directory} is left")
        self.assertEqual(cluster.processes_below(directory), [])
        self.assertEqual([path for name in cgroups for path in cluster.find_cgroups(name)], [])

    def cgroups_of_jobs(self, directory):
        """Names that the demo's agents gave their control groups, as its jobs' processes show."""
        names = cluster.wait_for(lambda: set(cluster.agent_cgroups_below(directory)))
        for name in names:
            self.assertTrue(cluster.find_cgroups(name))
        return names

    def run_demo(self, *words, **options):
        return cluster.run("demo", *words, **options)

    def start_demo(self, *words):
        """The demo as a process, and the directory that it works in."""
        before = set(pathlib.Path("/var/tmp").glob("gpu-platform-demo.*"))
        process = subprocess.Popen([cluster.PROGRAM, "demo", *words], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        directory = cluster.wait_for(
            lambda: [str(path) for path in set(pathlib.Path("/var/tmp").glob("gpu-platform-demo.*")) - before
                     if cluster.processes_below(str(path))])[0]
        return process, directory

    def read_until(self, process, text):
        for line in process.stdout:
            if text in line:
                return line
        self.fail(f"ended without saying {text!r}")

    def serve_of(self, directory):
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().split(b"\0")
            except OSError:
                continue
            if b"serve" in words and f"{directory}/state".encode() in words:
                return int(path.parent.name)
        self.fail("no serve")

    def test_all_is_as_it_must_be(self):
        result = self.run_demo("--simulate")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stderr, "")
        self.assertNotIn("\033", result.stdout)
        for text in ("waits for 16 GPUs on 2 nodes at once", "16 ranks on 2 node(s)", "same NUMA node",
                     "checkpoint step-", "discovery", "submit acknowledged", "allocation to exec"):
            self.assertIn(text, result.stdout)
        if IS_ROOT:
            self.assertRegex(result.stdout, r"refused  nvidia[\d,-]+: Operation not permitted")
            self.assertRegex(result.stdout, r"device-probe +FAILED +13")

    def test_the_tour_tells_and_checks_five_chapters(self):
        result = self.run_demo("--tour", timeout=240)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stderr, "")
        for text in (r"job-1 resumed at step [1-9]\d* of 60, and is complete", r"ms later it runs on GPU \d of ", r"incident-1: XID 48.* on dgx-h100-",
                     r"put into service: [\d.]+ s", r"gpu_platform_gpus_by_use\{", r"GPU-seconds of ", r"\| checkpoint step-", "All checks passed; nothing is left behind"):
            self.assertRegex(result.stdout, text)

    def test_the_tour_notices_what_is_wrong(self):
        examples = tempfile.mkdtemp(prefix="gp-examples-")
        self.addCleanup(shutil.rmtree, examples)
        shutil.copytree(cluster.SOURCE / "examples", examples, dirs_exist_ok=True)
        pathlib.Path(examples, "train.py").write_text("raise SystemExit(3)\n")
        result = self.run_demo("--tour", "--examples", examples, timeout=240)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertRegex(result.stdout, r"1 thing not as expected:\n +job-\d+: FAILED")

    def test_ends_clean_when_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number.name):
                process, directory = self.start_demo("--simulate")
                self.read_until(process, "step 4000")
                cgroups = self.cgroups_of_jobs(directory) if IS_ROOT else ()
                process.send_signal(number)
                rest, _ = process.communicate(timeout=30)
                self.assertEqual(process.returncode, 130)
                self.assertIn("stopped and removed", rest)
                self.assert_nothing_left(directory, cgroups)

    def test_controller_that_dies_is_a_failure_and_leaves_nothing(self):
        process, directory = self.start_demo("--simulate")
        self.read_until(process, "step 4000")
        cgroups = self.cgroups_of_jobs(directory) if IS_ROOT else ()
        os.kill(self.serve_of(directory), signal.SIGKILL)
        rest, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, rest)
        self.assertIn("not as", rest)
        self.assert_nothing_left(directory, cgroups)

    def test_killed_demo_takes_its_processes_along(self):
        process, directory = self.start_demo("--simulate")
        self.read_until(process, "step 1 ")
        process.kill()
        process.communicate()
        cluster.wait_for(lambda: cluster.processes_below(directory) == [], seconds=40)
        shutil.rmtree(directory)  # that alone is left

    def test_real_gpus_without_device_nodes_are_noticed(self):
        library = pathlib.Path(cluster.PROGRAM).resolve().parent.parent / "lib/gpu-platform/libnvidia-ml.so.1"
        machine = cluster.SOURCE / "data/machines/l40s-4.yaml"
        result = self.run_demo("--nvml", str(library), env={"GPU_PLATFORM_FAKE_NVML_MACHINE": str(machine)})
        self.assertIn("4 GPUs of its own", result.stdout)
        self.assertIn("cut to the GPUs that are here", result.stdout)
        if IS_ROOT and not os.path.exists("/dev/nvidia0"):
            self.assertEqual(result.returncode, 1)
            self.assertIn("tried 0 devices instead of 4", result.stdout)

    @unittest.skipUnless(IS_ROOT, "needs root to become somebody else")
    def test_without_root_it_runs_and_says_what_it_cannot_give(self):
        nobody = pwd.getpwnam("nobody")
        as_nobody = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": [], "cwd": "/"}
        if subprocess.run(["test", "-x", cluster.PROGRAM], **as_nobody).returncode != 0:
            self.assertNotEqual(os.environ.get("CI"), "true", "the program is closed to others")
            self.skipTest(f"others may not run {cluster.PROGRAM}")
        result = cluster.run("demo", "--simulate", **as_nobody)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("no isolation", result.stdout)
        self.assertIn("not root", result.stdout)


class Sabotage(unittest.TestCase):
    """Examples that do wrong: the demo must say so and end with 1."""

    def setUp(self):
        self.examples = tempfile.mkdtemp(prefix="gp-examples-")
        self.addCleanup(shutil.rmtree, self.examples)
        shutil.copytree(cluster.SOURCE / "examples", self.examples, dirs_exist_ok=True)
        # What the other jobs do is not the point here.
        self.write("train.py", "import os\nprint('step 1 loss 0.7\\nstep 2 loss 0.1')\n"
                   "import time; time.sleep(1)\n"
                   "open(os.environ['GP_CHECKPOINT_DIR'] + '/x', 'w')\n")

    def write(self, name, text):
        pathlib.Path(self.examples, name).write_text(text)

    def demo(self):
        result = cluster.run("demo", "--simulate", "--examples", self.examples)
        return result.returncode, result.stdout

    def test_the_shortened_training_alone_is_no_failure(self):
        code, out = self.demo()
        self.assertEqual(code, 0, out)

    def test_wrong_exit_code(self):
        self.write("train.py", "print('step 1 loss 0.7\\nstep 2 loss 0.1', flush=True)\n"
                   "import time; time.sleep(1)\nraise SystemExit(3)\n")
        code, out = self.demo()
        self.assertEqual(code, 1, out)
        self.assertIn("single-gpu: exit code 3 instead of 0", out)
        self.assertIn("single-gpu: it left no checkpoint", out)

    def test_loss_that_does_not_fall(self):
        self.write("train.py", "import os\nprint('step 1 loss 0.7\\nstep 2 loss 0.8', flush=True)\n"
                   "import time; time.sleep(1)\nopen(os.environ['GP_CHECKPOINT_DIR'] + '/x', 'w')\n")
        code, out = self.demo()
        self.assertEqual(code, 1, out)
        self.assertIn("its loss did not fall", out)

    def test_gang_that_does_not_add_up(self):
        self.write("allreduce.py", "print('never met')\n")
        code, out = self.demo()
        self.assertEqual(code, 1, out)
        self.assertIn("gang-4: its ranks did not add up", out)
        self.assertIn("two-node-gang: its ranks did not add up", out)

    @unittest.skipUnless(IS_ROOT, "without root no device is refused")
    def test_foreign_device_that_opens(self):
        self.write("probe_devices.py", "for i in range(8): print(f'nvidia{i} reached')\n"
                   "for i in range(16, 24): print(f'nvidia{i} refused')\nraise SystemExit(13)\n")
        code, out = self.demo()
        self.assertEqual(code, 1, out)
        self.assertRegex(out, r"could open nvidia\d, which is not its own")

    def test_examples_that_are_not_there(self):
        code, out = self.demo_with("/nonexistent")
        self.assertEqual(code, 1, out)
        self.assertIn("no examples in /nonexistent", out)

    def demo_with(self, directory):
        result = cluster.run("demo", "--simulate", "--examples", directory)
        return result.returncode, result.stdout


if __name__ == "__main__":
    unittest.main(verbosity=2)
