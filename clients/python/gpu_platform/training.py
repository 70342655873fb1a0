"""For the program that a job runs: progress, metrics, checkpoints and resuming (docs/checkpoints.md, docs/metrics.md).

    steps = training.Checkpoints()
    step = steps.load(lambda path: load(path)) or 0
    while step < total and not training.is_stopping():
        ...
        training.progress(step, total)
        training.metric(step, {"train/loss": loss})
        if step % 1000 == 0:
            steps.save(step, lambda path: save(path))

Outside a job, reports do nothing, and checkpoints use the directory that is passed.  `Trainer` (trainer.py) does all of
this for a loop over steps.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import threading
import time
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, TypeVar

_T = TypeVar("_T")
_PART = ".part"
_METRICS_A_LINE = 40  # of the longest names: a report has at most 4096 bytes
_OLD = ".old"
_NAME = re.compile(r"step-\d+")
_PATIENCE_S = 2.0  # the pipe is read four times a second; a job resumes only from a checkpoint that it reported
_listening = threading.Lock()
# By signal: how often it came, and how many of these requests were taken.  Plain numbers, because a handler may interrupt
# the main thread, or itself, at any place: a lock that both take would never be released.
_heard: Dict[int, int] = {}
_taken: Dict[int, int] = {}


def report(line: str, patience: float = 0.0) -> bool:
    """Sends one line to the platform.  Returns False if it was not accepted, which the program may ignore.

    `patience`: seconds to try again while the pipe is full.
    """
    pipe = os.environ.get("GP_REPORT")
    if not pipe or "\n" in line:
        return False
    deadline = time.monotonic() + patience
    while (sent := _send(pipe, line.encode() + b"\n")) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(sent)


def _send(pipe: str, line: bytes) -> Optional[bool]:
    """None: the pipe is full; False: it takes no lines."""
    try:
        fd = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.write(fd, line)
        return True
    except BlockingIOError:
        return None
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


def link(name: str, url: str) -> bool:
    """Shows a page with the job, such as its run in a tracking service; `url`: http or https, without spaces (docs/metrics.md)."""
    return report(f"link {name}={url}", _PATIENCE_S)


def checkpoint(path: str, step: int, seconds: float = 0.0, score: Optional[float] = None) -> bool:
    """Reports a complete checkpoint: the file or directory at the path, with everything in it."""
    words = [f"checkpoint step={step}", f"bytes={size_of(path)}", f"seconds={seconds:.3f}"]
    if score is not None:
        words.append(f"score={score:.9f}")
    return report(" ".join(words) + f" path={os.path.abspath(path)}", _PATIENCE_S)


def resume_path() -> Optional[str]:
    """The newest complete checkpoint of earlier attempts; None: start from the beginning."""
    return os.environ.get("GP_RESUME_FROM") or None


def rank() -> int:
    """This process's rank, from 0: a launcher's RANK, or what follows from the node's rank and LOCAL_RANK."""
    if "RANK" in os.environ:
        return int(os.environ["RANK"])
    node = int(os.environ.get("GP_NODE_RANK", "0"))
    if "LOCAL_RANK" not in os.environ:
        return node  # one process on each node
    return node * max(1, int(os.environ.get("GP_GPUS_PER_NODE", "1"))) + int(os.environ["LOCAL_RANK"])


def world_size() -> int:
    """The number of processes that train together: a launcher's WORLD_SIZE, or one on each node of the job."""
    return int(os.environ.get("WORLD_SIZE") or os.environ.get("GP_NNODES") or "1")


def is_stopping() -> bool:
    """True after SIGTERM: save a checkpoint and exit.  The first call installs the handler; main thread only."""
    _listen(signal.SIGTERM)
    return _heard[signal.SIGTERM] > 0


def take_save_request(number: int = signal.SIGUSR1) -> bool:
    """True once after each signal that requests a checkpoint (`checkpoint.signal`): save one and go on.

    The first call installs the handler; main thread only.  SIGTERM follows if the job must stop.
    """
    _listen(number)
    heard = _heard[number]
    is_new = heard != _taken[number]
    _taken[number] = heard
    return is_new


def _listen(number: int) -> None:
    with _listening:
        if number in _heard:
            return
        before = signal.getsignal(number)

        def hear(number: int, frame: Any) -> None:
            _heard[number] += 1
            if callable(before):
                before(number, frame)

        _heard[number] = _taken[number] = 0
        try:
            signal.signal(number, hear)
        except ValueError:
            del _heard[number]
            raise


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
        path, part = self._path(step), self.part(step)
        _remove(part)
        write(part)
        sync(part)
        _put(part, path)
        _sync_one(self.directory)
        checkpoint(path, step, time.monotonic() - began, score)
        return path

    def part(self, step: int) -> str:
        """The temporary path of a checkpoint, for other ranks that write into the same one."""
        return self._path(step) + _PART

    def _path(self, step: int) -> str:
        return os.path.join(self.directory, f"step-{step:012}")

    def load(self, read: Callable[[str], _T]) -> Optional[_T]:
        """Returns what `read` makes of the checkpoint to resume from; None if there is none."""
        path = next(self.paths(), None)
        return None if path is None else read(path)

    def paths(self) -> Iterator[str]:
        """The complete checkpoints: the one to resume from, then the others of the directory, the newest first."""
        first = resume_path()
        if first is not None and os.path.abspath(first) != os.path.abspath(self.directory) and os.path.exists(first):
            yield first
        for _, path in sorted(self.steps().items(), reverse=True):
            if first is None or os.path.abspath(path) != os.path.abspath(first):
                yield path

    def steps(self) -> Dict[int, str]:
        """The step and the path of each complete checkpoint of the directory.

        A checkpoint that was being replaced when the program was killed has its name with ".old".
        """
        found = {}
        for name in sorted(os.listdir(self.directory), reverse=True):  # "step-7.old" before "step-7"
            if _NAME.fullmatch(name[:-len(_OLD)] if name.endswith(_OLD) else name):
                found[int(name[len("step-"):].split(".")[0])] = os.path.join(self.directory, name)
        return found

    def remove(self, path: str) -> None:
        """Removes a checkpoint; best effort.  One that is half removed is never taken for a complete one."""
        try:
            _remove(path + _PART)
            os.rename(path, path + _PART)
            _remove(path + _PART)
        except OSError:
            pass  # such as one that the platform has removed (`checkpoint.keep`)

    def remove_parts(self) -> None:
        """Removes what killed programs left of checkpoints that are not complete.  REQUIRES: nobody is saving here."""
        for name in os.listdir(self.directory):
            is_replaced = name.endswith(_OLD) and os.path.lexists(os.path.join(self.directory, name[:-len(_OLD)]))
            if name.startswith("step-") and (name.endswith(_PART) or is_replaced):
                _remove(os.path.join(self.directory, name))


def size_of(path: str) -> int:
    """Bytes of the file, or of all files in the directory."""
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(path) for name in names)


def _put(part: str, path: str) -> None:
    """Replaces `path`.  A directory cannot be replaced atomically: the old one is kept until the new one is in place."""
    if os.path.isdir(path) and not os.path.islink(path):
        _remove(path + _OLD)
        os.rename(path, path + _OLD)
    os.replace(part, path)
    _remove(path + _OLD)


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def sync(path: str) -> None:
    """Syncs to disk: a reported checkpoint must survive a crash of the machine."""
    if os.path.isdir(path):
        for name in os.listdir(path):
            sync(os.path.join(path, name))
    _sync_one(path)


def _sync_one(path: str) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
