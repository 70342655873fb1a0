"""For the program that a job runs: progress, checkpoints, and where to go on (docs/checkpoints.md).

    steps = training.Checkpoints()
    step = steps.load(lambda path: load(path)) or 0
    while step < total and not training.is_stopping():
        ...
        training.progress(step, total)
        if step % 1000 == 0:
            steps.save(step, lambda path: save(path))

Outside a job all of it does nothing, or works in the directory that is given.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from typing import Any, Callable, Optional, TypeVar

_T = TypeVar("_T")
_PART = ".part"
_OLD = ".old"
_stopping = threading.Event()
_listening = threading.Lock()
_is_listening = False


def report(line: str) -> bool:
    """One line to the platform.  False: nobody listens, or it was not taken; the program need not care."""
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
    """How far it is; `of`: of so many steps.  Where a job has `hang_after`, this is what shows that it does not hang."""
    return report(f"progress step={step}" + (f" of={of}" if of else ""))


heartbeat = progress


def checkpoint(path: str, step: int, seconds: float = 0.0, score: Optional[float] = None) -> bool:
    """A checkpoint is written, whole: all that lies at the path, a file or a directory, belongs to it."""
    words = [f"checkpoint step={step}", f"bytes={_size_of(path)}", f"seconds={seconds:.3f}"]
    if score is not None:
        words.append(f"score={score:.9f}")
    return report(" ".join(words) + f" path={os.path.abspath(path)}")


def resume_path() -> Optional[str]:
    """Where the attempt before left its newest whole checkpoint; None: begin at the beginning."""
    return os.environ.get("GP_RESUME_FROM") or None


def rank() -> int:
    return int(os.environ.get("RANK", "0"))


def is_stopping() -> bool:
    """Whether the job was told to end: save, and do so.  The first call takes SIGTERM over; main thread only."""
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
    """Whole checkpoints or none: each is written beside its place, and then put there.

    `directory`: by default the job's (`checkpoint.dir`).
    """

    def __init__(self, directory: Optional[str] = None) -> None:
        place = directory or os.environ.get("GP_CHECKPOINT_DIR")
        if not place:
            raise ValueError("directory: the job has none (checkpoint.dir), and none was given")
        self.directory = place
        os.makedirs(place, exist_ok=True)

    def save(self, step: int, write: Callable[[str], Any], score: Optional[float] = None) -> str:
        """`write` makes a file or a directory at the path that it is given.  Returns where it is now."""
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
        """What `read` makes of the checkpoint to go on from; None: there is none."""
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
    """In place of what is there; a directory cannot be replaced at once, and is kept until the new one is there."""
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
    """To the disk, as a checkpoint that is told of must outlive the machine."""
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
