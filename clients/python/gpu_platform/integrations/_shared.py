"""What the callbacks of all frameworks do."""

from __future__ import annotations

import math
import os
import re
import time
from typing import Any, Dict, Mapping, Optional

from .. import training

_BETWEEN_LINES_S = 1.0


def numbers_in(values: Mapping[str, Any]) -> Dict[str, float]:
    """Those of the values that are numbers, by names that the platform takes (docs/metrics.md)."""
    found = {}
    for name, value in values.items():
        try:
            found[re.sub(r"[^A-Za-z0-9_./-]", "_", name)[:64]] = float(value)
        except (TypeError, ValueError):
            pass  # such as a text or a tensor of several numbers
    return found


def report_checkpoint(path: str, step: int, score: Any = None) -> None:
    """Of a file or directory that is complete.  It is synced first, because the job may resume from it after a crash."""
    training.sync(path)
    known = None if score is None or not math.isfinite(float(score)) else float(score)
    training.checkpoint(path, step, score=known)


def newest_in(directory: Optional[str], pattern: str, proof: str = "") -> Optional[str]:
    """Of the entries whose names match, that with the greatest number; `proof`: a file that a complete one has."""
    if directory is None or not os.path.isdir(directory):
        return None
    found = [(int(match.group(1)), match.string) for match in map(re.compile(pattern).fullmatch, os.listdir(directory)) if match]
    whole = [(step, name) for step, name in found if not proof or os.path.exists(os.path.join(directory, name, proof))]
    return os.path.join(directory, max(whole)[1]) if whole else None


class Pace:
    """True at most once a second."""

    def __init__(self) -> None:
        self._next = 0.0

    def is_due(self) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _BETWEEN_LINES_S
        return True
