"""The state of the random number generators that a program uses, as JSON takes it: a resumed run draws the same numbers.

These are the generators of the modules `random`, `numpy.random` and `torch` (on each GPU too, once CUDA is in use).
Generators that the program makes itself, such as numpy's `default_rng`, are its own to save.
"""

from __future__ import annotations

import base64
import importlib
import random
import sys
from typing import Any, Dict, Mapping


def capture() -> Dict[str, Any]:
    """Of numpy and torch only if the program has imported them.  Numbers survive JSON exactly."""
    version, words, gauss = random.getstate()
    state: Dict[str, Any] = {"random": [version, list(words), gauss]}
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        kind, words, position, has_gauss, gauss = numpy.random.get_state()
        state["numpy"] = [kind, words.tolist(), int(position), int(has_gauss), float(gauss)]
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        state["torch"] = _text_of(torch.get_rng_state())
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            state["cuda"] = [_text_of(one) for one in torch.cuda.get_rng_state_all()]
    return state


def restore(state: Mapping[str, Any]) -> None:
    """Sets what `capture` returned.  A module that the program had imported is imported."""
    version, words, gauss = state["random"]
    random.setstate((version, tuple(words), gauss))
    if "numpy" in state:
        numpy = importlib.import_module("numpy")
        kind, words, position, has_gauss, gauss = state["numpy"]
        numpy.random.set_state((kind, numpy.array(words, dtype=numpy.uint32), position, has_gauss, gauss))
    if "torch" in state:
        torch = importlib.import_module("torch")
        torch.set_rng_state(_tensor_of(torch, state["torch"]))
        for device, text in enumerate(state.get("cuda", [])[:torch.cuda.device_count()]):
            torch.cuda.set_rng_state(_tensor_of(torch, text), device)


def _text_of(tensor: Any) -> str:
    return base64.b64encode(bytes(tensor.tolist())).decode()


def _tensor_of(torch: Any, text: str) -> Any:
    return torch.tensor(list(base64.b64decode(text)), dtype=torch.uint8)
