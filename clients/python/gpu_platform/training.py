"""For the program that a job runs: progress, metrics, checkpoints and resuming (docs/checkpoints.md, docs/metrics.md).

    steps = training.Checkpoints()
    step = steps.load(lambda path: load(path)) or 0
    while step < total and not training.is_stopping():
        ...
        training.progress(step, total)
        training.metric(step, {"train/loss": loss})
        if step % 1000 == 0:
            steps.save(step, lambda path: save(path))

Outside a job, reports do nothing, and checkpoints use the directory that is passed.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from typing import Any, Callable, Mapping, Optional, TypeVar

_T = TypeVar("_T")
_PART = ".part"
_METRICS_A_LINE = 40  # of the longest names: a report has at most 4096 bytes
_OLD = ".old"
_stopping = threading.Event()
_listening = threading.Lock()
_is_listening = False


def report(line: str) -> bool:
    """Sends one line to the platform.  Returns False if it was not accepted, which the program may ignore."""
    pipe = os.environ.get("GP_REPORT")
    if not pipe or "\n" in line:
        return False
    try:
        fd = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.write(fd, line.encode() + b"\n")
        return True
    except OSError:
        return False
    finally:
        os.close(fd)


def progress(step: int, of: int = 0) -> bool:
    """Reports the current step; `of`: the total.  A job with `hang_after` must report to show that it does not hang."""
    return report(f"progress step={step}" + (f" of={of}" if of else ""))


heartbeat = progress


def metric(step: int, values: Mapping[str, float]) -> bool:
    """Reports metrics of a step, such as {"train/loss": 0.52}; NaN and infinite values are kept as such (docs/metrics.md)."""
    words = [f"{name}={float(value)!r}" for name, value in values.items()]
    return all([report(" ".join([f"metric step={step}", *words[i:i + _METRICS_A_LINE]])) for i in range(0, len(words), _METRICS_A_LINE)])


def checkpoint(path: str, step: int, seconds: float = 0.0, score: Optional[float] = None) -> bool:
    """Reports a complete checkpoint: the file or directory at the path, with everything in it."""
    words = [f"checkpoint step={step}", f"bytes={_size_of(path)}", f"seconds={seconds:.3f}"]
    if score is not None:
        words.append(f"score={score:.9f}")
    return report(" ".join(words) + f" path={os.path.abspath(path)}")


def resume_path() -> Optional[str]:
    """The newest complete checkpoint of earlier attempts; None: start from the beginning."""
    return os.environ.get("GP_RESUME_FROM") or None


def rank() -> int:
    return int(os.environ.get("RANK", "0"))


def is_stopping() -> bool:
    """True after SIGTERM: save a checkpoint and exit.  The first call installs the handler; main thread only."""
    global _is_listening
    with _listening:
        if not _is_listening:
            before = signal.getsignal(signal.SIGTERM)

            def hear(number: int, frame: Any) -> None:
                _stopping.set()
                if callable(before):
                    before(number, frame)

            signal.signal(signal.SIGTERM, hear)
            _is_listening = True
    return _stopping.is_set()


class Checkpoints:
    """Saves checkpoints atomically: each is written to a temporary path and then renamed.

    `directory`: default the job's (`checkpoint.dir`).
    """

    def __init__(self, directory: Optional[str] = None) -> None:
        place = directory or os.environ.get("GP_CHECKPOINT_DIR")
        if not place:
            raise ValueError("directory: pass one, because the job has no checkpoint.dir")
        self.directory = place
        os.makedirs(place, exist_ok=True)

    def save(self, step: int, write: Callable[[str], Any], score: Optional[float] = None) -> str:
        """`write` creates a file or directory at the path that it receives.  Returns the final path."""
        began = time.monotonic()
        path = os.path.join(self.directory, f"step-{step:012}")
        part = path + _PART
        _remove(part)
        write(part)
        _sync(part)
        _put(part, path)
        _sync_one(self.directory)
        checkpoint(path, step, time.monotonic() - began, score)
        return path

    def load(self, read: Callable[[str], _T]) -> Optional[_T]:
        """Returns what `read` makes of the checkpoint to resume from; None if there is none."""
        path = resume_path()
        if path is None or os.path.abspath(path) == os.path.abspath(self.directory):
            path = self._newest()
        return None if path is None else read(path)

    def _newest(self) -> Optional[str]:
        names = sorted(name for name in os.listdir(self.directory) if name.startswith("step-") and not name.endswith((_PART, _OLD)))
        return os.path.join(self.directory, names[-1]) if names else None


def _size_of(path: str) -> int:
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(path) for name in names)


def _put(part: str, path: str) -> None:
    """Replaces `path`.  A directory cannot be replaced atomically: the old one is kept until the new one is in place."""
    if not os.path.isdir(path) or os.path.islink(path):
        return os.replace(part, path)
    _remove(path + _OLD)
    os.rename(path, path + _OLD)
    os.rename(part, path)
    _remove(path + _OLD)


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _sync(path: str) -> None:
    """Syncs to disk: a reported checkpoint must survive a crash of the machine."""
    if os.path.isdir(path):
        for name in os.listdir(path):
            _sync(os.path.join(path, name))
    _sync_one(path)


def _sync_one(path: str) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
