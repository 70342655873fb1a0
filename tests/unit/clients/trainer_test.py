"""gpu_platform.Trainer: resumed runs are exact; stops, retention, reports, ranks."""

import math
import os
import pathlib
import random
import socket
import subprocess
import sys
import threading
import unittest
import warnings
from unittest import mock

from support import JobTest, plain_environment

from gpu_platform import Trainer

PROGRAM = pathlib.Path(__file__).with_name("tiny_training.py")
STEPS, EVERY = 200, 20


class Run:
    """One process of tiny_training.py."""

    def __init__(self, directory, *words, **environment):
        self.process = subprocess.Popen([sys.executable, "-B", PROGRAM, directory, *map(str, words)], env=plain_environment(**environment),
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def until(self, line):
        """Reads its output up to this line."""
        for one in self.process.stdout:
            if one.rstrip("\n") == line:
                return
        raise AssertionError(f"it never wrote \"{line}\": {self.process.stderr.read()}")

    def end(self):
        """(exit code, the lines that are left)."""
        out, errors = self.process.communicate(timeout=60)
        if self.process.returncode not in (0, 143, -9):
            raise AssertionError(errors)
        return self.process.returncode, out.splitlines()


class Referee:
    """The other end of tiny_training.py's `agree`: answers all ranks when all have written."""

    def __init__(self, path, ranks):
        self.path, self.door = str(path), socket.socket(socket.AF_UNIX)
        self.door.bind(self.path)
        self.door.listen()
        self.thread = threading.Thread(target=self._work, args=(ranks,))
        self.thread.start()

    def _work(self, ranks):
        with self.door:
            lines = [self.door.accept()[0] for _ in range(ranks)]
        while all(words := [line.recv(1) for line in lines]):
            for line in lines:
                line.sendall(b"1" if b"1" in words else b"0")
        for line in lines:
            line.close()


class Exactness(JobTest):
    def whole(self):
        code, lines = Run(self.place / "whole").end()
        self.assertEqual((code, lines[0], lines[-1].split()[:2]), (0, "from 0", ["done", str(STEPS)]))
        return lines[-1]

    def test_a_run_that_is_killed_at_five_points_ends_as_one_that_is_not(self):
        points = sorted(random.Random(7).sample(range(1, STEPS), 5))
        for point in points:
            run = Run(self.directory)
            run.until(f"step {point}")
            run.process.kill()
            self.assertEqual(run.end()[0], -9)
        code, lines = Run(self.directory).end()
        self.assertGreaterEqual(int(lines[0].split()[1]), points[-1] // EVERY * EVERY - EVERY, "from a checkpoint, not from the beginning")
        self.assertEqual(lines[-1], self.whole())

    def test_a_checkpoint_that_is_cut_is_not_used(self):
        code, _ = Run(self.directory, "--at", 60, "--do", "cut").end()
        self.assertEqual((code, self.names()), (-9, ["step-000000000020", "step-000000000040", "step-000000000060.part"]))
        # One whose bytes went missing later, such as in a copy.
        model = self.directory / "step-000000000040" / "model"
        model.write_bytes(model.read_bytes()[:-1])
        run = Run(self.directory)
        out, errors = run.process.communicate(timeout=60)
        self.assertEqual(out.splitlines()[0], "from 20")
        self.assertIn("step-000000000040 is not used", errors)
        self.assertNotIn("step-000000000060.part", self.names())
        self.assertEqual(out.splitlines()[-1], self.whole())

    def test_sigterm_saves_at_once_and_ends(self):
        code, lines = Run(self.directory, "--at", 40, "--do", "term").end()  # where an evaluation is due, too
        self.assertEqual((code, lines[-2], lines[-1].split()[:2], self.kept_steps()), (143, "step 40", ["stopped", "40"], [20, 40]))
        code, lines = Run(self.directory, "--at", 47, "--do", "term").end()
        self.assertEqual((lines[0], lines[-1].split()[:2], self.kept_steps()), ("from 40", ["stopped", "47"], [20, 40, 47]))
        code, lines = Run(self.directory).end()
        self.assertEqual((code, lines[0], lines[-1]), (0, "from 47", self.whole()))

    def test_the_checkpoint_signal_saves_and_goes_on(self):
        code, lines = Run(self.directory, "--steps", 30, "--at", 13, "--do", "usr1").end()
        self.assertEqual((code, lines[-1].split()[:2], self.kept_steps()), (0, ["done", "30"], [13, 20, 30]))

    def test_the_stop_that_comes_before_the_first_step_leaves_no_checkpoint(self):
        with mock.patch("gpu_platform.training.is_stopping", return_value=True):
            t = Trainer(steps=9, checkpoint_every=3, save=self.fail, load=self.fail, directory=str(self.directory))
            self.assertEqual(list(t), [])
        self.assertEqual((t.is_stopped, self.names()), (True, []))


class Ranks(JobTest):
    def pair(self, *words, at=0, do="", of_rank=1):
        path = self.place / "referee"
        path.unlink(missing_ok=True)
        referee = Referee(path, 2)
        runs = [Run(self.directory, "--referee", path, *words, *(("--at", at, "--do", do) if rank == of_rank else ()),
                    RANK=str(rank), WORLD_SIZE="2") for rank in range(2)]
        ends = [run.end() for run in runs]
        referee.thread.join(60)
        self.assertFalse(referee.thread.is_alive())
        return ends

    def test_one_that_is_asked_to_stop_stops_all_at_the_same_step(self):
        for code, lines in self.pair(at=33, do="term"):
            self.assertEqual((code, lines[-1].split()[:2]), (143, ["stopped", "33"]))
        self.assertEqual((self.kept_steps(), sorted(os.listdir(self.directory / "step-000000000033"))), ([20, 33], ["model", "trainer.json"]))
        self.assertEqual([lines[0] for _, lines in self.pair()], ["from 33", "from 33"])

    def test_one_that_is_asked_to_save_makes_the_first_save(self):
        self.assertEqual([code for code, _ in self.pair("--steps", 30, at=13, do="usr1")], [0, 0])
        self.assertEqual(self.kept_steps(), [13, 20, 30])

    def test_all_write_into_one_checkpoint_and_resume_exactly(self):
        whole = [lines[-1] for _, lines in self.pair("--every-rank")]
        self.assertNotEqual(*whole, "each has random numbers of its own")
        self.assertEqual(sorted(os.listdir(self.directory / "step-000000000200")), ["model", "trainer-1.json", "trainer.json"])
        self.assertEqual(sorted(os.listdir(self.directory / "step-000000000200/model")), ["part-0", "part-1"])
        self.directory = self.place / "stopped"
        self.assertEqual([lines[-1].split()[:2] for _, lines in self.pair("--every-rank", at=71, do="term")], [["stopped", "71"]] * 2)
        self.assertEqual([lines[-1] for _, lines in self.pair("--every-rank")], whole)

    def test_ranks_that_see_other_checkpoints_are_refused(self):
        list(Trainer(steps=3, checkpoint_every=3, save=touch, load=str, directory=str(self.directory)))
        t = Trainer(steps=9, checkpoint_every=3, save=touch, load=str, directory=str(self.directory), agree=lambda asked: True)
        with self.assertRaisesRegex(ValueError, "all nodes must see this directory"):
            t.resume()

    def test_several_ranks_need_a_way_to_agree(self):
        for variables in ({"WORLD_SIZE": "2", "RANK": "1"}, {"GP_NNODES": "2"}):
            with mock.patch.dict(os.environ, variables), self.assertRaisesRegex(ValueError, "agree: with 2 ranks"):
                Trainer(steps=1, checkpoint_every=1, save=touch, load=str, directory=str(self.directory))


def touch(path):
    with open(path, "w") as file:
        file.write("weights")


class Retention(JobTest):
    def train(self, scores, best="min", keep=2, **more):
        """A checkpoint for each score."""
        left = iter(scores)
        t = Trainer(**{"steps": len(scores), "checkpoint_every": 1, "keep": keep, "best": best, "save": touch, "load": str,
                       "evaluate": lambda: next(left), "directory": str(self.directory), **more})
        for _ in t:
            pass
        return t

    def test_the_newest_and_the_best_stay(self):
        self.train([5, 3, 1, 4, 6, 2])
        self.assertEqual((self.kept_steps(), self.best()), ([3, 5, 6], 3))
        self.assertTrue((self.directory / "best/model").is_file())

    def test_the_greatest_may_be_the_best_and_of_equal_ones_the_newest(self):
        self.train([5, 7 + 1e-12, 1, 7, 6, 2], best="max")
        self.assertEqual((self.kept_steps(), self.best()), ([4, 5, 6], 4))

    def test_without_keep_all_stay_and_without_best_there_is_no_link(self):
        self.train([1, 2, 3], best=None, keep=None)
        self.assertEqual(self.names(), [f"step-{step:012}" for step in (1, 2, 3)])

    def test_what_is_no_number_is_never_the_best(self):
        with self.job() as lines:
            self.train([math.nan, -math.inf, 2, math.nan, 3, math.nan])
            reported = lines()
        self.assertEqual((self.kept_steps(), self.best()), ([3, 5, 6], 3))
        self.assertEqual([line.split("score=")[1].split()[0] for line in reported if " score=" in line], ["2.000000000", "3.000000000"])
        self.assertIn("metric step=1 eval/score=nan", reported)

    def test_none_is_the_best_if_none_has_a_score(self):
        self.train([math.nan] * 3)
        self.assertEqual(self.names(), ["step-000000000002", "step-000000000003"])

    def test_a_resumed_run_knows_the_best_of_before(self):
        self.train([5, 1, 4])
        self.train([6, 7, 8], steps=6)
        self.assertEqual((self.kept_steps(), self.best()), ([2, 5, 6], 2))

    def test_a_link_that_a_kill_left_out_is_made_by_the_next_run(self):
        self.train([5, 1, 4])
        os.unlink(self.directory / "best")
        os.symlink("x", self.directory / "best.part")
        self.train([], steps=3)
        self.assertEqual(self.best(), 2)

    def test_what_killed_runs_left_of_checkpoints_goes(self):
        self.train([1, 2], best=None, keep=None)
        for name in ("step-000000000009.part", "step-000000000002.old"):
            (self.directory / name).mkdir()
        self.train([], best=None, steps=2)
        self.assertEqual(self.names(), ["step-000000000001", "step-000000000002"])

    def test_later_checkpoints_of_an_earlier_attempt_do_not_count_as_the_newest(self):
        self.train([1, 1, 1, 1, 1, 1], keep=9, best=None)
        with mock.patch.dict(os.environ, GP_RESUME_FROM=str(self.directory / f"step-{3:012}")):
            steps = []
            t = Trainer(steps=5, checkpoint_every=1, keep=1, save=touch, load=str, directory=str(self.directory))
            for step in t:
                steps.append(step)
                if step == 5:
                    self.assertEqual(self.kept_steps(), [4, 5, 6], "4 is the newest of this run")
        self.assertEqual((steps, self.kept_steps()), ([4, 5], [5, 6]))

    def test_a_checkpoint_that_the_platform_removed_is_no_error(self):
        t = Trainer(steps=6, checkpoint_every=1, keep=2, best="min", save=touch, load=str, evaluate=lambda: t.step, directory=str(self.directory))
        for step in t:
            if step == 3:
                os.rename(self.directory / f"step-{1:012}", self.directory / ".gp-discard.1")
        self.assertEqual((self.kept_steps(), self.best()), ([2, 5, 6], 2))

    def test_a_resume_path_that_is_gone_gives_way_to_the_newest(self):
        self.train([1, 2, 3], best=None)
        with mock.patch.dict(os.environ, GP_RESUME_FROM=str(self.directory / "step-000000000001")):
            t = Trainer(steps=3, checkpoint_every=1, save=touch, load=str, directory=str(self.directory))
            self.assertEqual(t.resume(), 3)

    def test_a_checkpoint_that_was_being_replaced_is_found(self):
        self.train([1, 2, 3], best=None)
        os.rename(self.directory / "step-000000000003", self.directory / "step-000000000003.old")
        self.assertEqual(self.train([], best=None, steps=3).step, 3)
        os.mkdir(self.directory / "step-000000000003")
        with self.assertWarnsRegex(UserWarning, "step-000000000003 is not used"):
            self.assertEqual(self.train([9], best=None, steps=3).step, 3)
        self.assertEqual(self.names(), ["step-000000000002", "step-000000000003"])

    def test_an_evaluation_for_which_a_stop_had_no_time_is_made_up_for(self):
        with mock.patch("gpu_platform.training.is_stopping", side_effect=[False, False, False, True]):
            t = self.train([5, 1, 3])
        self.assertEqual((t.is_stopped, t.step, self.kept_steps(), self.best()), (True, 2, [1, 2], 1))
        with self.job() as lines:
            self.train([4, 6], steps=3)
            reported = lines()
        self.assertEqual(self.best(), 2)
        self.assertIn("metric step=2 eval/score=4.0", reported)


class Reports(JobTest):
    def trainer(self, **more):
        return Trainer(**{"steps": 100, "checkpoint_every": 25, "save": touch, "load": str, "directory": str(self.directory), **more})

    def test_a_metric_line_a_second_and_the_last_one_of_each_checkpoint(self):
        clock = mock.Mock()
        clock.monotonic.return_value = 1000.0
        with self.job() as lines, mock.patch("gpu_platform.trainer.time", clock):
            t = self.trainer()
            for step in t:
                clock.monotonic.return_value += 0.1
                t.log(loss=1 / step)
                t.log({"train/rate": 0.5})
            reported = lines()
        steps = [int(line.split("step=")[1].split()[0]) for line in reported if line.startswith("metric")]
        self.assertEqual(steps, [10, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90, 100])
        self.assertIn("metric step=25 loss=0.04 train/rate=0.5", reported)
        self.assertEqual([line for line in reported if line.startswith("progress")], [f"progress step={step} of=100" for step in range(0, 101, 10)])
        at = [k for k, line in enumerate(reported) if line.startswith("checkpoint step=25 ")]
        self.assertTrue(reported[at[0] - 1].startswith("metric step=25 "), "the metrics come first")
        self.assertRegex(reported[at[0]], rf"bytes=\d+ seconds=[\d.]+ path={self.directory}/step-000000000025$")

    def test_metrics_of_the_evaluation(self):
        with self.job() as lines:
            list(self.trainer(steps=2, checkpoint_every=1, evaluate=lambda: (0.25, {"eval/accuracy": 0.5})))
            self.assertIn("metric step=2 eval/score=0.25 eval/accuracy=0.5", lines())

    def test_only_the_first_rank_reports(self):
        with self.job(RANK="1", WORLD_SIZE="2") as lines:
            t = self.trainer(agree=bool, evaluate=lambda: 1.0)
            for _ in t:
                t.log(loss=1)
                t.link("run", "https://a")
            self.assertEqual((lines(), self.names()), ([], []))

    def test_a_link(self):
        with self.job() as lines:
            self.trainer().link("run", "https://wandb.ai/r?a=b")
            self.assertEqual(lines(), ["link run=https://wandb.ai/r?a=b"])
        for name, url in (("two words", "https://a"), ("", "https://a"), ("run", "javascript:alert(1)"), ("run", "https://a b"), ("run", "https://a\nmetric step=1 x=1"), ("run", "https://")):
            with self.subTest(name=name, url=url), self.assertRaisesRegex(ValueError, "^link: "):
                self.trainer().link(name, url)

    def test_bad_arguments_are_refused_with_their_names(self):
        for place, wrong in (("steps", {"steps": 0}), ("checkpoint_every", {"checkpoint_every": 2.5}), ("keep", {"keep": True}), ("save", {"save": "x"}),
                             ("best", {"best": "least"}), ("evaluate", {"best": "min"}), ("evaluate", {"evaluate_every": 5}),
                             ("evaluate_every", {"best": "min", "evaluate": float, "evaluate_every": 10}), ("checkpoint_signal", {"checkpoint_signal": 15}),
                             ("directory", {"directory": None})):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(ValueError, rf"^{place}: "):
                self.trainer(**wrong)

    def test_bad_values_are_refused_with_their_names(self):
        t = self.trainer()
        for place, call in (("log: loss must be a number", lambda: t.log(loss="x")), ("log: \"a b\" must be", lambda: t.log({"a b": 1}))):
            with self.assertRaisesRegex(ValueError, place):
                call()
        for state in ({1: 2}, {"a": (1, 2)}, {"a": {3}}):
            t = self.trainer(checkpoint_every=1)
            with self.subTest(state=state), self.assertRaisesRegex(ValueError, "^state: "):
                for _ in t:
                    t.state = state
        with self.assertRaisesRegex(ValueError, "^save: "):
            list(self.trainer(save=len))
        self.assertTrue(all(name.endswith(".part") for name in self.names()), self.names())

    def test_a_file_that_no_trainer_wrote_is_not_loaded(self):
        self.directory.mkdir()
        touch(self.directory / "step-000000000007")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.assertEqual(self.trainer(load=self.fail).resume(), 0)
        self.assertIn("no complete checkpoint of a Trainer", str(told[0].message))


if __name__ == "__main__":
    unittest.main()
