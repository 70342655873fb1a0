"""gpu_platform.training: signals, ranks, the pipe, checkpoints."""

import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

from support import JobTest, plain_environment

from gpu_platform import training


class Signals(JobTest):
    def run_program(self, text):
        return subprocess.run([sys.executable, "-B", "-c", "import os, signal\nfrom gpu_platform import training\n" + text], env=plain_environment(),
                              capture_output=True, text=True, timeout=60)

    def test_a_request_is_taken_once_and_a_stop_stays(self):
        done = self.run_program("""
print(training.take_save_request(), training.is_stopping())
os.kill(os.getpid(), signal.SIGUSR1)
print(training.take_save_request(), training.take_save_request(), training.is_stopping())
os.kill(os.getpid(), signal.SIGTERM)
print(training.take_save_request(), training.is_stopping(), training.is_stopping())
""")
        self.assertEqual(done.stdout.splitlines(), ["False False", "True False False", "False True True"], done.stderr)

    def test_a_handler_of_before_is_called_too_and_signals_within_it_are_heard(self):
        done = self.run_program("""
calls = []
def before(number, frame):
    calls.append(number)
    if len(calls) < 3:
        os.kill(os.getpid(), number)
signal.signal(signal.SIGTERM, before)
training.is_stopping()
os.kill(os.getpid(), signal.SIGTERM)
print(training.is_stopping(), len(calls))
""")
        self.assertEqual(done.stdout, "True 3\n", done.stderr)

    def test_many_signals_at_once_do_not_stop_it(self):
        done = self.run_program("""
import threading
training.is_stopping(), training.take_save_request()
def pester():
    for _ in range(2000):
        os.kill(os.getpid(), signal.SIGUSR1)
        os.kill(os.getpid(), signal.SIGTERM)
pesters = threading.Thread(target=pester)
pesters.start()
taken = 0
while pesters.is_alive():
    taken += training.take_save_request() + training.is_stopping()
print(taken > 0)
""")
        self.assertEqual(done.stdout, "True\n", done.stderr)

    def test_another_thread_cannot_install_it_and_does_not_claim_to(self):
        done = self.run_program("""
import threading
def listen():
    try:
        training.is_stopping()
    except ValueError as error:
        print("refused")
other = threading.Thread(target=listen)
other.start()
other.join()
print(training.is_stopping())
""")
        self.assertEqual(done.stdout, "refused\nFalse\n", done.stderr)


class Ranks(JobTest):
    def test_the_rank_is_the_launchers_or_follows_from_the_node(self):
        for variables, rank, size in (({}, 0, 1), ({"RANK": "5", "LOCAL_RANK": "1", "WORLD_SIZE": "8", "GP_NODE_RANK": "1", "GP_NNODES": "2"}, 5, 8),
                                      ({"GP_NODE_RANK": "1", "GP_NNODES": "2", "GP_GPUS_PER_NODE": "4"}, 1, 2),
                                      ({"GP_NODE_RANK": "1", "LOCAL_RANK": "2", "GP_GPUS_PER_NODE": "4"}, 6, 1),
                                      ({"GP_NODE_RANK": "0", "LOCAL_RANK": "0", "GP_GPUS_PER_NODE": "0"}, 0, 1)):
            with self.subTest(variables=variables), mock.patch.dict(os.environ, variables):
                self.assertEqual((training.rank(), training.world_size()), (rank, size))


class Pipe(JobTest):
    def test_a_checkpoint_waits_for_a_full_pipe_and_progress_does_not(self):
        model = self.place / "model"
        model.write_text("x")
        with self.job() as lines:
            while training.progress(1):
                pass
            reader = threading.Timer(0.2, lines)
            reader.start()
            self.assertFalse(training.progress(2))
            self.assertTrue(training.checkpoint(str(model), 3))
            reader.join()
            self.assertTrue(lines()[-1].startswith("checkpoint step=3 bytes=1 "))

    def test_a_pipe_that_nobody_reads_or_that_is_gone_is_not_waited_for(self):
        os.mkfifo(self.place / "pipe")
        began = time.monotonic()
        for path in ("pipe", "gone"):
            with mock.patch.dict(os.environ, GP_REPORT=str(self.place / path)):
                self.assertFalse(training.report("progress step=1", patience=1000))
        self.assertLess(time.monotonic() - began, 500)


class Checkpoints(JobTest):
    def setUp(self):
        super().setUp()
        self.kept = training.Checkpoints(str(self.directory))
        for step in (9, 10):
            self.kept.save(step, lambda path, step=step: pathlib.Path(path).write_text(str(step)))

    def load(self, resume_from=""):
        with mock.patch.dict(os.environ, GP_RESUME_FROM=resume_from):
            return self.kept.load(lambda path: int(pathlib.Path(path).read_text()))

    def test_the_one_to_resume_from_comes_first_and_then_the_newest(self):
        older = str(self.directory / "step-000000000009")
        self.assertEqual((self.load(), self.load(str(self.directory)), self.load(older), self.load("/gone")), (10, 10, 9, 10))
        with mock.patch.dict(os.environ, GP_RESUME_FROM=older):
            self.assertEqual([path[-2:] for path in self.kept.paths()], ["09", "10"])

    def test_one_that_is_gone_is_removed_without_an_error(self):
        path = self.kept.steps()[9]
        self.kept.remove(path)
        self.kept.remove(path)
        self.assertEqual((self.names(), self.kept.steps()), (["step-000000000010"], {10: str(self.directory / "step-000000000010")}))

    def test_one_that_is_replaced_leaves_nothing_behind(self):
        for _ in range(2):
            self.kept.save(11, os.mkdir)
            os.rename(self.directory / "step-000000000011", self.directory / "step-000000000011.old")
        self.assertEqual(self.kept.steps()[11][-4:], ".old")
        self.kept.save(11, os.mkdir)
        self.assertEqual(self.names(), [f"step-{step:012}" for step in (9, 10, 11)])


if __name__ == "__main__":
    unittest.main()
