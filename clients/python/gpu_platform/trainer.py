"""A loop over training steps that is saved, resumed, stopped, evaluated and reported (docs/how-to/train.md).

    t = Trainer(steps=50_000, checkpoint_every=1_000, keep=3, best="min", save=save, load=load, evaluate=evaluate)
    for step in t:                  # 1 to 50,000, or from the step after the newest checkpoint on
        loss = train_one(step)
        t.log(loss=loss)
    sys.exit(143 if t.is_stopped else 0)
"""

from __future__ import annotations

import math
import os
import re
import signal
import time
import warnings
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, SupportsFloat, Tuple, Union

from . import random_state, trainer_record, training

Evaluation = Union[float, Tuple[float, Mapping[str, float]]]
_BEST = "best"
_BETWEEN_LINES_S = 1.0
_METRIC = re.compile(r"[A-Za-z0-9_./-]{1,64}")  # docs/metrics.md
_URL = re.compile(r"https?://[!-~]+")


class Trainer:
    """Yields the numbers of the steps, and saves and reports between them.  For the main thread.

    A checkpoint is the directory `step-<number>` of `directory` (default: the job's `checkpoint.dir`).  `save(path)` writes
    a file or a directory at the path `model` in it, and `load(path)` reads it.  Beside it is trainer.json: the step,
    `epoch`, `state`, the score, and the state of random number generators (random_state.py), so that a resumed run
    continues exactly.  A checkpoint is complete or absent, and one of which bytes are missing later is not used.

    SIGTERM saves after the current step and ends the loop; `is_stopped` is True then.  `checkpoint_signal` (None: none)
    saves and goes on: if the job must stop, the platform sends SIGTERM after it.

    `evaluate()` returns a score, or a score and metrics.  All ranks call it every `evaluate_every` steps (default:
    `checkpoint_every`) and after the last step.  With `best` ("min" or "max") the link `best` leads to the checkpoint with
    the least or the greatest score; a checkpoint between evaluations has none.  NaN and infinity are never the best.

    `keep`: how many of the newest checkpoints stay (None: all); the best one stays too.  The job's `checkpoint.keep` and
    `checkpoint.best` remove by the same rule.  Each of the two may remove what the other one keeps, and what both remove
    is no error.  So give both the same values, or only one of them.  With `checkpoint.keep` alone the platform would remove
    the best one; with `keep` alone the platform still lists what was removed.

    On several ranks only the first one saves and reports; all load, so all see its directory.  `agree(asked)` returns on
    all ranks whether one of them passed True (integrations/torch.py has one), so that they stop at the same step.  With
    `save_on_every_rank` all call `save` with the same path, where each writes files of its own.  Without, ranks after the
    first find their random number generators as the program seeded them: derive what they draw from the step and the rank.

    Errors: ValueError for arguments that cannot be meant, and for `state` or metrics that cannot be kept.
    """

    def __init__(self, *, steps: int, checkpoint_every: int, save: Callable[[str], Any], load: Callable[[str], Any],
                 keep: Optional[int] = None, best: Optional[str] = None, evaluate: Optional[Callable[[], Evaluation]] = None,
                 evaluate_every: Optional[int] = None, directory: Optional[str] = None, agree: Optional[Callable[[bool], bool]] = None,
                 save_on_every_rank: bool = False, checkpoint_signal: Optional[int] = signal.SIGUSR1) -> None:
        for name, value in (("steps", steps), ("checkpoint_every", checkpoint_every), ("keep", keep), ("evaluate_every", evaluate_every)):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise ValueError(f"{name}: must be a whole number from 1 on, not {value!r}")
        for name, call in (("save", save), ("load", load), ("evaluate", evaluate), ("agree", agree)):
            if call is not None and not callable(call):
                raise ValueError(f"{name}: must be a function, not {call!r}")
        if best not in (None, "min", "max"):
            raise ValueError(f"best: must be \"min\", \"max\" or None, not {best!r}")
        if evaluate is None and (best is not None or evaluate_every is not None):
            raise ValueError("evaluate: pass a function that returns the score; best and evaluate_every need one")
        each = evaluate_every or checkpoint_every
        if best is not None and each % checkpoint_every and checkpoint_every % each:
            raise ValueError(f"evaluate_every: must divide checkpoint_every ({checkpoint_every}) or be a multiple of it, not {each}: "
                             "only checkpoints of steps with an evaluation have a score")
        if checkpoint_signal == signal.SIGTERM:
            raise ValueError("checkpoint_signal: must not be SIGTERM, which ends the loop")
        if agree is None and training.world_size() > 1:
            raise ValueError(f"agree: with {training.world_size()} ranks, pass a function by which they stop at the same step, such as "
                             "integrations.torch.any_rank_is_asked; where they need not, lambda asked: asked")
        self.steps, self.step, self.epoch = steps, 0, 0
        self.state: Dict[str, Any] = {}  # the program's own, such as the sampler's position: what JSON takes
        self.is_stopped = False
        self._save_model, self._load_model, self._evaluate, self._agree = save, load, evaluate, agree
        self._checkpoint_every, self._evaluate_every, self._keep, self._best = checkpoint_every, each, keep, best
        self._on_every_rank, self._signal, self._is_first = save_on_every_rank, checkpoint_signal, training.rank() == 0
        self._checkpoints = training.Checkpoints(directory)
        self._scores: Dict[int, Optional[float]] = {}  # of the steps of checkpoints
        self._resumed: Optional[Dict[str, Any]] = None  # trainer.json of the checkpoint, until the loop begins
        self._evaluated, self._score = 0, math.nan
        self._is_resumed, self._next_line = False, 0.0
        self._logged: Optional[Tuple[int, Dict[str, float]]] = None  # its step and values, not sent yet
        training.is_stopping()  # installs the handlers: what is asked before the loop counts
        if checkpoint_signal is not None:
            training.take_save_request(checkpoint_signal)

    def resume(self) -> int:
        """Loads the newest complete checkpoint, if there is one, and returns its step, or 0.

        The loop does this itself; call it where the program needs `state` or `epoch` before.  Random number generators are
        restored when the loop begins.
        """
        if self._is_resumed:
            return self.step
        self._is_resumed = True
        for path in self._checkpoints.paths():
            record = trainer_record.read(path)
            if record is None:
                warnings.warn(f"{path} is not used: it is no complete checkpoint of a Trainer")
                continue
            self._load_model(os.path.join(path, trainer_record.MODEL))
            if self._on_every_rank:
                record = trainer_record.read(path, training.rank()) or record
            self.step, self.epoch, self.state, self._evaluated = (record[name] for name in ("step", "epoch", "state", "evaluated"))
            self._resumed = record
            break
        if self._agree is not None and self._agree(self.step == 0) and self._agree(self.step > 0):
            raise ValueError(f"{self._checkpoints.directory}: not all ranks find a checkpoint: all nodes must see this directory")
        return self.step

    def __iter__(self) -> Iterator[int]:
        self._begin()
        saved = self.step
        while True:
            is_asked, self.is_stopped = self._is_asked()
            is_last = self.step >= self.steps
            # A stop has no time for an evaluation: the resumed run does it, and saves the checkpoint again, with its score.
            is_evaluated = not self.is_stopped and self._evaluate_if_due(is_last)
            is_due = is_asked or is_last or self.step % self._checkpoint_every == 0
            if is_due if self.step > saved else is_evaluated:
                self._save()
                saved = self.step
            self._report()
            if self.is_stopped or is_last:
                return
            self.step += 1
            yield self.step

    def log(self, values: Optional[Mapping[str, SupportsFloat]] = None, **more: SupportsFloat) -> None:
        """Reports metrics of this step: `t.log(loss=0.5)`, or `t.log({"train/loss": 0.5})` for names with other letters.

        At most one step a second is sent, and always the last one before a checkpoint.  A value on a GPU is copied at once.
        """
        numbers: Dict[str, float] = {}
        for name, value in {**(values or {}), **more}.items():
            if not _METRIC.fullmatch(name):
                raise ValueError(f"log: \"{name}\" must be 1 to 64 letters, digits and _ . / -")
            try:
                numbers[name] = float(value)
            except (TypeError, ValueError):
                raise ValueError(f"log: {name} must be a number, not {value!r}") from None
        if self._logged is not None and self._logged[0] == self.step:
            numbers = {**self._logged[1], **numbers}
        self._logged = (self.step, numbers)

    def link(self, name: str, url: str) -> None:
        """Shows a page with the job: `t.link("wandb", run.url)`.  Only the first rank reports it."""
        if not _METRIC.fullmatch(name):
            raise ValueError(f"link: \"{name}\" must be 1 to 64 letters, digits and _ . / -")
        if not _URL.fullmatch(url):
            raise ValueError("link: the URL must begin with https:// or http://, and have no spaces")
        if self._is_first:
            training.link(name, url)

    def _begin(self) -> None:
        self.resume()
        if self._resumed is not None and (self._is_first or self._on_every_rank):
            random_state.restore(self._resumed["random"])
        self._resumed = None
        if self._is_first:
            self._checkpoints.remove_parts()
            records = [(step, trainer_record.read(path)) for step, path in self._checkpoints.steps().items()]
            self._scores = {step: record["score"] for step, record in records if record is not None}
            self._link_best()

    def _is_asked(self) -> Tuple[bool, bool]:
        """Whether to save, and whether to stop: the same on all ranks."""
        stops = training.is_stopping()
        saves = (self._signal is not None and training.take_save_request(self._signal)) or stops
        if self._agree is not None:
            saves = self._agree(saves)
            stops = saves and self._agree(stops)
        return saves, stops

    def _evaluate_if_due(self, is_last: bool) -> bool:
        is_due = is_last or self.step % self._evaluate_every == 0
        if self._evaluate is None or not is_due or self._evaluated == self.step:
            return False
        result = self._evaluate()
        score, metrics = result if isinstance(result, tuple) else (result, {})
        self._score, self._evaluated = float(score), self.step
        if self._is_first:
            training.metric(self.step, {"eval/score": self._score, **metrics})
        return True

    def _save(self) -> None:
        if not self._is_first:
            if self._on_every_rank:
                self._write(self._checkpoints.part(self.step))
            return
        self._report_metrics()
        score = self._score if self._evaluated == self.step and math.isfinite(self._score) else None
        self._scores[self.step] = score
        self._checkpoints.save(self.step, self._write, score)
        self._link_best()
        self._remove_surplus()

    def _write(self, part: str) -> None:
        """On several ranks: no rank leaves a `_meet` before all have come to it."""
        if self._is_first:
            os.mkdir(part)
        self._meet()
        self._save_model(os.path.join(part, trainer_record.MODEL))
        self._meet()
        if self._is_first and not os.path.exists(os.path.join(part, trainer_record.MODEL)):
            raise ValueError("save: it must write a file or a directory at the path that it receives")
        fields = {"step": self.step, "epoch": self.epoch, "state": self.state, "evaluated": self._evaluated, "score": self._scores.get(self.step)}
        trainer_record.write(part, training.rank() if self._on_every_rank else 0, fields)
        if not self._is_first:
            training.sync(part)
        self._meet()

    def _meet(self) -> None:
        if self._on_every_rank and self._agree is not None:
            self._agree(False)

    def _best_step(self) -> Optional[int]:
        """Of equal scores the newest; scores are compared as the platform does, in billionths."""
        sign = -1 if self._best == "max" else 1
        found = self._checkpoints.steps()
        scored = [(sign * round(score, 9), -step) for step, score in self._scores.items() if score is not None and step in found]
        return -min(scored)[1] if scored and self._best is not None else None

    def _link_best(self) -> None:
        best, link = self._best_step(), os.path.join(self._checkpoints.directory, _BEST)
        name = os.path.basename(self._checkpoints.steps().get(best or 0, ""))
        if name and not (os.path.islink(link) and os.readlink(link) == name):
            if os.path.lexists(link + ".part"):
                os.unlink(link + ".part")
            os.symlink(name, link + ".part")
            os.replace(link + ".part", link)

    def _remove_surplus(self) -> None:
        """What it leaves alone: checkpoints of later steps, which an earlier attempt wrote, and what is no complete one."""
        found = self._checkpoints.steps()
        mine = sorted(step for step in self._scores if step in found and step <= self.step)
        for step in set(mine[:-self._keep] if self._keep is not None else []) - {self._best_step()}:
            self._checkpoints.remove(found[step])

    def _report(self) -> None:
        now = time.monotonic()
        if self._is_first and now >= self._next_line:
            self._next_line = now + _BETWEEN_LINES_S
            self._report_metrics()
            training.progress(self.step, self.steps)

    def _report_metrics(self) -> None:
        if self._logged is not None:
            training.metric(*self._logged)
            self._logged = None

