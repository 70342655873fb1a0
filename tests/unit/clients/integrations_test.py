"""gpu_platform.integrations with stand-ins for the frameworks, which make the frameworks' calls in their order.

They show that the callbacks do what they should in answer to these calls, not that the frameworks make them.
The functions for torch are tested with PyTorch, in a process group of one.
"""

import importlib
import json
import os
import sys
import types
import unittest
from unittest import mock

from support import JobTest, module

from gpu_platform import training


class FrameworkTest(JobTest):
    framework = {}  # modules by name

    def setUp(self):
        super().setUp()
        self.directory.mkdir()
        os.environ["GP_CHECKPOINT_DIR"] = str(self.directory)
        modules = mock.patch.dict(sys.modules, self.framework)
        modules.start()
        self.addCleanup(modules.stop)
        self.asked = {"save": False, "stop": False}
        for name, answer in (("take_save_request", self.take_save), ("is_stopping", lambda: self.asked["stop"])):
            patch = mock.patch.object(training, name, answer)
            patch.start()
            self.addCleanup(patch.stop)

    def take_save(self, number):
        asked, self.asked["save"] = self.asked["save"], False
        return asked

    def integration(self, name):
        sys.modules.pop(f"gpu_platform.integrations.{name}", None)
        return importlib.import_module(f"gpu_platform.integrations.{name}")

    def checkpoints(self, lines):
        """(step, score, name) of those that are reported."""
        found = []
        for line in lines:
            if line.startswith("checkpoint "):
                fields = dict(word.split("=", 1) for word in line.split()[1:])
                found.append((int(fields["step"]), fields.get("score"), os.path.basename(fields["path"])))
        return found


class HfTrainer:
    """As transformers' Trainer: after a step on_step_end, then log, evaluate and save as the control says, and then a stop."""

    def __init__(self, output_dir, callbacks, max_steps, every, scores, first=True):
        self.args = types.SimpleNamespace(output_dir=str(output_dir), metric_for_best_model=None)
        self.state = types.SimpleNamespace(global_step=0, max_steps=max_steps, is_world_process_zero=first)
        self.control = types.SimpleNamespace(should_save=False, should_training_stop=False)
        self.callbacks, self.every, self.scores = callbacks, every, scores

    def call(self, event, **more):
        for one in self.callbacks:
            self.control = getattr(one, event)(self.args, self.state, self.control, model=None, **more) or self.control

    def train(self, resume_from_checkpoint=None, at=lambda step: None):
        if resume_from_checkpoint is not None:
            with open(os.path.join(resume_from_checkpoint, "trainer_state.json")) as file:
                self.state.global_step = json.load(file)["global_step"]
        while self.state.global_step < self.state.max_steps and not self.control.should_training_stop:
            self.state.global_step += 1
            at(self.state.global_step)
            due = self.state.global_step % self.every == 0
            self.control.should_save = due
            self.call("on_step_end")
            if due:
                self.call("on_log", logs={"loss": 0.5, "learning_rate": 1e-4, "note": "text"})
                self.call("on_evaluate", metrics={"eval_loss": self.scores[self.state.global_step]})
            if self.control.should_save:
                place = os.path.join(self.args.output_dir, f"checkpoint-{self.state.global_step}")
                os.makedirs(place, exist_ok=True)
                for name, text in (("model.safetensors", "weights"), ("trainer_state.json", json.dumps({"global_step": self.state.global_step}))):
                    with open(os.path.join(place, name), "w") as file:
                        file.write(text)
                self.call("on_save")
                self.control.should_save = False


class Hf(FrameworkTest):
    framework = {"transformers": types.SimpleNamespace(TrainerCallback=type("TrainerCallback", (), {}))}

    def trainer(self, agree=bool, **more):
        return HfTrainer(self.directory, [self.hf.PlatformCallback(agree)], 6, 2, {2: 0.5, 4: float("nan"), 6: 0.25}, **more)

    def setUp(self):
        super().setUp()
        self.hf = self.integration("hf")

    def test_it_reports_what_is_saved_and_logged(self):
        with self.job() as lines:
            self.trainer().train(self.hf.resume_from())
            reported = lines()
        self.assertEqual(self.checkpoints(reported), [(2, "0.500000000", "checkpoint-2"), (4, None, "checkpoint-4"), (6, "0.250000000", "checkpoint-6")])
        self.assertIn("metric step=2 loss=0.5 learning_rate=0.0001", reported)
        self.assertIn("progress step=1 of=6", reported)

    def test_it_saves_where_it_is_asked_to_and_goes_on(self):
        with self.job() as lines:
            self.trainer().train(at=lambda step: self.asked.update(save=step == 3))
            self.assertEqual([step for step, _, _ in self.checkpoints(lines())], [2, 3, 4, 6])

    def test_it_saves_and_stops_where_it_must_and_resumes_there(self):
        with self.job() as lines:
            first = self.trainer()
            first.train(at=lambda step: self.asked.update(stop=step >= 3))
            self.assertEqual((first.state.global_step, [step for step, _, _ in self.checkpoints(lines())]), (3, [2, 3]))
        self.asked["stop"] = False
        self.assertEqual(self.hf.resume_from(), str(self.directory / "checkpoint-3"))
        os.environ["GP_RESUME_FROM"] = str(self.directory / "checkpoint-2")
        self.assertEqual(self.hf.resume_from(), str(self.directory / "checkpoint-2"))
        again = self.trainer()
        again.train(self.hf.resume_from())
        self.assertEqual(again.state.global_step, 6)

    def test_one_that_another_rank_asked_stops_too_and_only_the_first_reports(self):
        with self.job() as lines:
            other = self.trainer(agree=lambda asked: True, first=False)
            other.train()
            self.assertEqual((other.state.global_step, lines()), (1, []))

    def test_a_directory_without_a_complete_checkpoint_is_a_beginning(self):
        (self.directory / "checkpoint-7").mkdir()
        os.environ["GP_RESUME_FROM"] = str(self.directory)  # as for a job that has reported none
        self.assertIsNone(self.hf.resume_from())


class LightningTrainer:
    """As Lightning's Trainer: callbacks in their order, ModelCheckpoint last; save_checkpoint is of all ranks."""

    def __init__(self, callbacks, steps, first=True):
        self.callbacks, self.steps, self.is_global_zero = callbacks, steps, first
        self.checkpoint_callbacks = [one for one in callbacks if isinstance(one, ModelCheckpoint)]
        self.global_step, self.max_steps, self.should_stop, self.sanity_checking = 0, steps, False, False
        self.logged_metrics, self.callback_metrics, self.saved = {}, {}, []

    def call(self, event, *more):
        for one in self.callbacks:
            getattr(one, event, lambda *_: None)(self, None, *more)

    def save_checkpoint(self, path):
        self.saved.append(path)
        if self.is_global_zero:
            with open(path, "w") as file:
                file.write(str(self.global_step))

    def fit(self, ckpt_path=None, at=lambda step: None):
        if ckpt_path is not None:
            with open(ckpt_path) as file:
                self.global_step = int(file.read())
        while self.global_step < self.steps and not self.should_stop:
            self.call("on_train_batch_start", None, 0)
            self.global_step += 1
            at(self.global_step)
            self.logged_metrics = {"train/loss": 0.5, "name": "x"}
            self.call("on_train_batch_end", None, None, 0)
        self.callback_metrics = {"val/loss": 0.25}
        self.call("on_validation_end")
        self.call("on_train_end")
        self.call("teardown", "fit")


class ModelCheckpoint:
    def __init__(self, directory):
        self.directory, self.best_k_models, self.best_model_path, self.last_model_path = directory, {}, "", ""

    def on_train_batch_end(self, trainer, *_):
        if trainer.global_step % 2 == 0:
            path = str(self.directory / f"best-{trainer.global_step}.ckpt")
            trainer.save_checkpoint(path)
            self.best_k_models[path] = 1 / trainer.global_step
            self.best_model_path = path


class Lightning(FrameworkTest):
    framework = {"lightning": types.ModuleType("lightning"), "lightning.pytorch": types.SimpleNamespace(Callback=type("Callback", (), {}))}

    def setUp(self):
        super().setUp()
        self.lightning = self.integration("lightning")

    def trainer(self, agree=bool, **more):
        return LightningTrainer([self.lightning.PlatformCallback(agree=agree), ModelCheckpoint(self.directory)], 5, **more)

    def test_it_reports_what_is_saved_and_logged(self):
        with self.job() as lines:
            self.trainer().fit(self.lightning.resume_from())
            reported = lines()
        self.assertEqual(self.checkpoints(reported), [(2, "0.500000000", "best-2.ckpt"), (4, "0.250000000", "best-4.ckpt")])
        self.assertTrue({"metric step=1 train/loss=0.5", "metric step=5 val/loss=0.25", "progress step=1 of=5"} <= set(reported), reported)

    def test_it_saves_where_it_is_asked_to_and_stops_where_it_must(self):
        with self.job() as lines:
            self.trainer().fit(at=lambda step: self.asked.update(save=step == 1, stop=step >= 3))
            reported = lines()
        self.assertEqual(sorted(self.checkpoints(reported)), [(1, None, f"step-{1:012}"), (2, "0.500000000", "best-2.ckpt"), (3, None, f"step-{3:012}")])
        self.assertEqual(self.lightning.resume_from(), str(self.directory / f"step-{3:012}"))
        self.asked["stop"] = False
        again = self.trainer()
        again.fit(self.lightning.resume_from())
        self.assertEqual(again.global_step, 5)

    def test_all_ranks_save_to_one_path_and_only_the_first_reports(self):
        with self.job() as lines:
            other = self.trainer(agree=lambda asked: True, first=False)
            other.fit()
            self.assertEqual((other.saved, other.global_step), ([str(self.directory / f"step-{1:012}.part")], 1))
            self.assertEqual(self.checkpoints(lines()), [])

    def test_the_older_name_of_the_framework_is_found(self):
        with mock.patch.dict(sys.modules, {"lightning.pytorch": None, "pytorch_lightning": self.framework["lightning.pytorch"]}):
            self.assertTrue(self.integration("lightning").PlatformCallback)
        with mock.patch.dict(sys.modules, {"lightning.pytorch": None, "pytorch_lightning": None}), self.assertRaisesRegex(ModuleNotFoundError, "neither"):
            self.integration("lightning")


class Accelerator:
    """As Accelerate's: save_state makes the directory and writes into it; load_state reads it."""

    device = "cpu"

    def __init__(self):
        self.weights = 0

    def save_state(self, output_dir):
        os.makedirs(output_dir, exist_ok=True)
        with open(os.path.join(output_dir, "model.safetensors"), "w") as file:
            file.write(str(self.weights))

    def load_state(self, input_dir):
        with open(os.path.join(input_dir, "model.safetensors")) as file:
            self.weights = int(file.read())


class Accelerate(FrameworkTest):
    def test_it_saves_resumes_and_stops(self):
        accelerate = self.integration("accelerate")
        agree = mock.Mock(side_effect=lambda asked, device: asked)
        with self.job() as lines, mock.patch.object(accelerate, "any_rank_is_asked", agree):
            for stop, steps in ((3, [1, 2, 3]), (9, [4, 5, 6])):
                accelerator = Accelerator()
                t = accelerate.trainer(accelerator, steps=6, checkpoint_every=2)
                seen = []
                for step in t:
                    accelerator.weights += step
                    seen.append(step)
                    self.asked["stop"] = step == stop
                self.assertEqual((seen, t.is_stopped), (steps, stop == 3))
                self.asked["stop"] = False
            self.assertEqual([step for step, _, _ in self.checkpoints(lines())], [2, 3, 4, 6])
        self.assertEqual(accelerator.weights, 21)
        agree.assert_called_with(False, device="cpu")


class Torch(FrameworkTest):
    def test_ranks_agree(self):
        module(self, "torch")
        distributed = importlib.import_module("torch.distributed")
        any_rank_is_asked = self.integration("torch").any_rank_is_asked
        self.assertEqual((any_rank_is_asked(True), any_rank_is_asked(False)), (True, False), "without a group")
        distributed.init_process_group("gloo", init_method=f"file://{self.place}/store", rank=0, world_size=1)
        self.addCleanup(distributed.destroy_process_group)
        self.assertEqual((any_rank_is_asked(True), any_rank_is_asked(False)), (True, False))


if __name__ == "__main__":
    unittest.main()
