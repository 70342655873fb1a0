"""trainer.json in a checkpoint of a `Trainer`: what a run needs besides its model to continue exactly.

    {"step": 2000, "epoch": 1, "state": {}, "evaluated": 2000, "score": 0.31, "bytes": 734003200, "random": {}}

`evaluated`: the step of the last evaluation; `score`: that of this checkpoint, or null; `bytes`: of the model, less than
that means that a copy was cut; `random`: random_state.py.  Ranks after the first have trainer-1.json and so on.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional

from . import random_state, training

MODEL = "model"  # what the program saves, beside trainer.json


def write(checkpoint: str, rank: int, fields: Mapping[str, Any]) -> None:
    """REQUIRES: the model is written.  Errors: ValueError if `state` would not be read as it is."""
    if not _is_json(fields["state"]):
        raise ValueError(f"state: must hold only what JSON keeps: dict with str keys, list, str, numbers, bool, None; not {fields['state']!r:.200}")
    more = {"bytes": training.size_of(os.path.join(checkpoint, MODEL)), "random": random_state.capture()}
    with open(os.path.join(checkpoint, _name(rank)), "w", encoding="utf-8") as file:
        json.dump({**fields, **more}, file)


def read(checkpoint: str, rank: int = 0) -> Optional[Dict[str, Any]]:
    """None: there is none, or the model has fewer bytes than it says."""
    try:
        with open(os.path.join(checkpoint, _name(rank)), encoding="utf-8") as file:
            record: Dict[str, Any] = json.load(file)
        return record if training.size_of(os.path.join(checkpoint, MODEL)) >= record["bytes"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _name(rank: int) -> str:
    return f"trainer-{rank}.json" if rank > 0 else "trainer.json"


def _is_json(value: Any) -> bool:
    """JSON makes lists of tuples, and strings of keys that are numbers."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(one) for key, one in value.items())
    if isinstance(value, list):
        return all(map(_is_json, value))
    return value is None or isinstance(value, (bool, int, float, str))
