"""Lightning: its `Trainer` as a job.

    trainer = lightning.Trainer(..., callbacks=[PlatformCallback(), ModelCheckpoint(dirpath=os.environ["GP_CHECKPOINT_DIR"])])
    trainer.fit(model, ckpt_path=resume_from())

Tested with a stand-in for Lightning, not with it.
"""

from __future__ import annotations

import importlib
import os
import signal
from typing import Any, Callable, Dict, List, Optional

from .. import training
from . import _shared
from .torch import any_rank_is_asked


def _callback_class() -> Any:
    for name in ("lightning.pytorch", "pytorch_lightning"):
        try:
            return importlib.import_module(name).Callback
        except ModuleNotFoundError:
            pass
    raise ModuleNotFoundError("neither lightning nor pytorch_lightning can be imported")


_Callback: Any = _callback_class()


def resume_from() -> Optional[str]:
    """The checkpoint for `fit(ckpt_path=…)`; None: start from the beginning.

    It is $GP_RESUME_FROM, or else the newest one in the job's directory that the platform had asked for.
    """
    path = training.resume_path()
    if path is not None and path != os.environ.get("GP_CHECKPOINT_DIR") and os.path.exists(path):
        return path
    return _shared.newest_in(os.environ.get("GP_CHECKPOINT_DIR"), r"step-(\d+)")


class PlatformCallback(_Callback):  # type: ignore[misc]
    """Reports progress, metrics and the checkpoints of each ModelCheckpoint; saves and stops when the platform asks for it.

    A checkpoint that the platform asks for is `step-<number>` of `directory` (default: the job's `checkpoint.dir`).
    ModelCheckpoint has no call for others after it has saved, so its checkpoints are found, with their scores, when the next
    batch begins.  `agree`: as of gpu_platform.Trainer.  Lightning goes on after a stop until `min_steps` or `min_epochs`.
    """

    def __init__(self, directory: Optional[str] = None, agree: Callable[[bool], bool] = any_rank_is_asked, checkpoint_signal: int = signal.SIGUSR1) -> None:
        self._checkpoints = training.Checkpoints(directory)
        self._agree, self._signal = agree, checkpoint_signal
        self._seen: Dict[str, int] = {}  # paths of ModelCheckpoint, with the times of their last change
        self._pace = _shared.Pace()
        training.is_stopping()  # installs the handlers
        training.take_save_request(checkpoint_signal)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        self._report_saved(trainer)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        stops = training.is_stopping()
        if self._agree(training.take_save_request(self._signal) or stops):
            self._save(trainer)
            if self._agree(stops):
                trainer.should_stop = True
        if trainer.is_global_zero and self._pace.is_due():
            total = getattr(trainer, "max_steps", -1)
            training.metric(trainer.global_step, _shared.numbers_in(trainer.logged_metrics))
            training.progress(trainer.global_step, total if total > 0 else 0)

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if trainer.is_global_zero and not trainer.sanity_checking:
            training.metric(trainer.global_step, _shared.numbers_in(trainer.callback_metrics))

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self._report_saved(trainer)

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        self._report_saved(trainer)  # of a ModelCheckpoint that saved at the end

    def _save(self, trainer: Any) -> None:
        """All ranks call save_checkpoint, which returns on none before all have written."""
        def write(part: str) -> None:
            self._agree(False)  # what was at this path before is removed
            trainer.save_checkpoint(part)

        if trainer.is_global_zero:
            self._checkpoints.save(trainer.global_step, write)
        else:
            write(self._checkpoints.part(trainer.global_step))

    def _report_saved(self, trainer: Any) -> None:
        if not trainer.is_global_zero:
            return
        for callback in trainer.checkpoint_callbacks:
            scores: Dict[str, Any] = getattr(callback, "best_k_models", {})
            paths: List[str] = [*scores, getattr(callback, "best_model_path", ""), getattr(callback, "last_model_path", "")]
            for path in dict.fromkeys(one for one in paths if os.path.exists(one)):
                changed = os.stat(path).st_mtime_ns
                if self._seen.get(path) != changed:
                    self._seen[path] = changed
                    _shared.report_checkpoint(path, trainer.global_step, scores.get(path))
