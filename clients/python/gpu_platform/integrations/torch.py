"""PyTorch: ranks that agree on when to save and to stop."""

from __future__ import annotations

import importlib
from typing import Any


def any_rank_is_asked(is_asked: bool, device: Any = None) -> bool:
    """True on all ranks if one of them passes True: a rank that stopped alone would leave the others waiting for it.

    All ranks must call it.  `device`: where the tensor is; default: this process's current GPU with NCCL, else the CPU.
    Without a process group a rank decides alone.
    """
    torch = importlib.import_module("torch")
    distributed = importlib.import_module("torch.distributed")
    if not (distributed.is_available() and distributed.is_initialized()):
        return is_asked
    if device is None:
        device = torch.device("cuda" if distributed.get_backend() == "nccl" else "cpu")
    asked = torch.tensor([float(is_asked)], device=device)
    distributed.all_reduce(asked, op=distributed.ReduceOp.MAX)
    return bool(asked.item() > 0)
