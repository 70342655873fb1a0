"""Hugging Face transformers: its `Trainer` as a job.

    trainer = transformers.Trainer(..., callbacks=[PlatformCallback()])
    trainer.train(resume_from_checkpoint=resume_from())

Set `output_dir` of TrainingArguments to $GP_CHECKPOINT_DIR.  Tested with a stand-in for transformers, not with it.
"""

from __future__ import annotations

import importlib
import os
import signal
from typing import Any, Callable, Dict, Optional, Tuple

from .. import training
from . import _shared
from .torch import any_rank_is_asked

_TrainerCallback: Any = importlib.import_module("transformers").TrainerCallback


def resume_from() -> Optional[str]:
    """The checkpoint for `train(resume_from_checkpoint=…)`; None: start from the beginning.

    It is $GP_RESUME_FROM, or else the newest `checkpoint-<step>` of the job's directory with a trainer_state.json, which
    transformers writes after the model.
    """
    path = training.resume_path()
    if path is not None and os.path.exists(os.path.join(path, "trainer_state.json")):
        return path
    return _shared.newest_in(os.environ.get("GP_CHECKPOINT_DIR"), r"checkpoint-(\d+)", "trainer_state.json")


class PlatformCallback(_TrainerCallback):  # type: ignore[misc]
    """Reports progress, metrics and checkpoints; saves and stops when the platform asks for it.

    `agree`: as of gpu_platform.Trainer.  The score of a checkpoint (`checkpoint.best`) is `metric_for_best_model` of the
    evaluation of its step, by default the loss.
    """

    def __init__(self, agree: Callable[[bool], bool] = any_rank_is_asked, checkpoint_signal: int = signal.SIGUSR1) -> None:
        self._agree, self._signal = agree, checkpoint_signal
        self._evaluated: Tuple[int, Dict[str, Any]] = (-1, {})
        self._pace = _shared.Pace()
        training.is_stopping()  # installs the handlers
        training.take_save_request(checkpoint_signal)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        stops = training.is_stopping()
        if self._agree(training.take_save_request(self._signal) or stops):
            control.should_save = True
            if self._agree(stops):
                control.should_training_stop = True
        if state.is_world_process_zero and self._pace.is_due():
            training.progress(state.global_step, state.max_steps)
        return control

    def on_log(self, args: Any, state: Any, control: Any, logs: Optional[Dict[str, Any]] = None, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            training.metric(state.global_step, _shared.numbers_in(logs or {}))

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Optional[Dict[str, Any]] = None, **kwargs: Any) -> None:
        self._evaluated = (state.global_step, metrics or {})

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if not state.is_world_process_zero:
            return
        step, metrics = self._evaluated
        name = getattr(args, "metric_for_best_model", None) or "loss"
        score = metrics.get(name if name.startswith("eval_") else f"eval_{name}") if step == state.global_step else None
        _shared.report_checkpoint(os.path.join(args.output_dir, f"checkpoint-{state.global_step}"), state.global_step, score)
