"""Client for gpu-platform: submit, wait for, follow and explain jobs; report progress and checkpoints inside a job.

    client = gpu_platform.Client()
    job = client.submit(["python3", "train.py"], gpus=4)
    job.wait()

`Client` blocks until a reply arrives; `AsyncClient` offers the same calls for asyncio.  `Trainer` and `training` are for
the programs that jobs run, `remote` runs functions as jobs.  Field names and values are those of the API (docs/reference/rest.md).
"""

from .aio import AsyncClient, AsyncJob
from .client import Client, Job, JobState
from .errors import (Conflict, InvalidArgument, NotFound, PermissionDenied, PlatformError, ResourceExhausted,
                     Unauthenticated, Unavailable)
from .remote import RemoteError, remote
from .spec import Array, job_spec
from .trainer import Trainer

__all__ = ["Array", "AsyncClient", "AsyncJob", "Client", "Conflict", "InvalidArgument", "Job", "JobState", "NotFound", "PermissionDenied",
           "PlatformError", "RemoteError", "ResourceExhausted", "Trainer", "Unauthenticated", "Unavailable", "job_spec", "remote"]
