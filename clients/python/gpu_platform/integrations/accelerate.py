"""Hugging Face Accelerate: a `gpu_platform.Trainer` that saves and loads with an Accelerator.

    t = trainer(accelerator, steps=50_000, checkpoint_every=1_000)   # after accelerator.prepare(...)
    for step in t:
        ...

Tested with a stand-in for Accelerate, not with it.
"""

from __future__ import annotations

import functools
from typing import Any

from ..trainer import Trainer
from .torch import any_rank_is_asked


def trainer(accelerator: Any, **options: Any) -> Trainer:
    """`options`: those of Trainer but `save`, `load`, `agree` and `save_on_every_rank`.

    All ranks save into one directory by `accelerator.save_state`, without `automatic_checkpoint_naming`, and stop at the
    same step.
    """
    return Trainer(save=accelerator.save_state, load=accelerator.load_state, save_on_every_rank=True,
                   agree=functools.partial(any_rank_is_asked, device=accelerator.device), **options)
