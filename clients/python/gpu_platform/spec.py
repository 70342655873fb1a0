"""Builds job specs for the API (message JobSpec of proto/gpu_platform/v1/job.proto)."""

from __future__ import annotations

import dataclasses
import datetime
import os
import re
from typing import Any, Mapping, Optional, Sequence, Union

from .errors import InvalidArgument

Span = Union[float, int, datetime.timedelta]  # numbers are seconds
Size = Union[int, str]                        # bytes, or "512MiB", "80G"

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
_ISOLATIONS = {"exclusive": "ISOLATION_EXCLUSIVE", "timeslice": "ISOLATION_TIMESLICE", "mps": "ISOLATION_MPS", "mig": "ISOLATION_MIG"}
_MIB = 2**20


@dataclasses.dataclass(frozen=True)
class Array:
    """An array: jobs of one spec that differ by GP_ARRAY_INDEX."""

    count: int
    max_parallel: int = 0  # 0: any number at once


def milliseconds(span: Span) -> int:
    seconds = span.total_seconds() if isinstance(span, datetime.timedelta) else float(span)
    return round(seconds * 1000)


def size_in_bytes(size: Size) -> int:
    if isinstance(size, int):
        return size
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", size.upper())
    if match is None or match[2] not in _UNITS:
        raise InvalidArgument(f"{size!r} is not a size such as 512MiB or 80G", "invalid-argument")
    return int(float(match[1]) * _UNITS[match[2]])


def _directory(image: Optional[str]) -> str:
    return "" if image is not None and not image.startswith("dir:") else os.getcwd()


def job_spec(command: Sequence[str], *, name: str = "", gpus: Optional[int] = None, nodes: Optional[int] = None, models: Sequence[str] = (),
             share: Optional[float] = None, gpu_memory: Optional[Size] = None, isolation: Optional[str] = None, cpus: int = 0,
             memory: Optional[Size] = None, queue: str = "", project: str = "", priority: Optional[int] = None,
             time_limit: Optional[Span] = None, environment: Optional[Mapping[str, str]] = None, labels: Optional[Mapping[str, str]] = None,
             directory: Optional[str] = None, image: Optional[str] = None, image_credentials: Optional[str] = None, preemptible: bool = False,
             retries: Optional[int] = None, checkpoint_directory: Optional[str] = None, checkpoint_keep: int = 0, after: Sequence[str] = (),
             array: Optional[Array] = None, more: Optional[Mapping[str, Any]] = None) -> dict[str, Any]:
    """Returns the message.  `gpus`, `cpus`, `memory`: per node; `share`: of each GPU, above 0, at most 1; `directory`: default
    the current one, with an image of layers the image's own; `image`: the job's root directory: the name of an image in a
    registry, or "oci:/path:tag", "docker-archive:/path.tar", "oci-archive:/path.tar", "/path.sqsh" or "dir:/path" on its nodes;
    `image_credentials`: the secret for that registry; `after`: jobs that must complete first; `more`: further fields of the message,
    unchanged."""
    if isinstance(command, (str, bytes)):
        raise InvalidArgument("command: must be a list of words such as [\"python3\", \"train.py\"]", "invalid-argument")
    request: dict[str, Any] = {}
    if gpus is not None:
        request["count"] = gpus
    if models:
        request["models"] = list(models)
    if share is not None:
        request["share_thousandths"] = round(share * 1000)
    if gpu_memory is not None:
        request["memory_mib"] = -(-size_in_bytes(gpu_memory) // _MIB)
    if isolation is not None:
        if isolation not in _ISOLATIONS:
            raise InvalidArgument(f"isolation: {isolation!r} must be one of {', '.join(_ISOLATIONS)}", "invalid-argument")
        request["isolation"] = _ISOLATIONS[isolation]
    spec: dict[str, Any] = {
        "command": [str(word) for word in command], "name": name, "queue": queue, "project": project, "cpus": cpus, "preemptible": preemptible,
        "working_directory": _directory(image) if directory is None else directory, "environment": dict(environment or {}), "labels": dict(labels or {}),
        "after": [{"job_id": one} for one in after]}
    if request:
        spec["gpus"] = request
    if nodes is not None:
        spec["nodes"] = nodes
    if memory is not None:
        spec["memory_bytes"] = size_in_bytes(memory)
    if priority is not None:
        spec["priority"] = priority
    if time_limit is not None:
        spec["time_limit_ms"] = milliseconds(time_limit)
    if retries is not None:
        spec["retry"] = {"retries_max": retries, "on_failure": retries > 0}
    if checkpoint_directory is not None:
        spec.update(checkpoint_directory=checkpoint_directory, checkpoint_keep=checkpoint_keep)
    if image is not None:
        spec["image"] = image
    if image_credentials is not None:
        spec["image_credentials"] = image_credentials
    if array is not None:
        spec["array"] = {"count": array.count, "max_parallel": array.max_parallel}
    return {**spec, **(more or {})}
