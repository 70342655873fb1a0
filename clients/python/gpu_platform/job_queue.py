"""A queue of training jobs with three priorities:

    queue = get_job_queue()
    job_id = queue.submit_job(JobConfig(job_id="bert-1", user_id="ana", num_gpus=2, model_name="bert-base-uncased"), Priority.HIGH)
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from typing import Any, Optional, Sequence

from .client import Client, Job, JobState


class Priority(enum.IntEnum):
    LOW = 1
    MEDIUM = 2
    HIGH = 3


_NUMBERS = {Priority.LOW: 250, Priority.MEDIUM: 500, Priority.HIGH: 750}  # of 0 to 1000


@dataclasses.dataclass
class JobConfig:
    """What to train; the program receives it in MODEL_NAME, DATASET_PATH and OUTPUT_DIR.

    `job_id`: a name of the caller's choice; a second submit with it does not queue another job while the platform remembers
    the first.  `user_id` becomes a label; the job's user is the caller.
    """

    job_id: str
    user_id: str = ""
    num_gpus: int = 1
    model_name: str = ""
    dataset_path: str = ""
    output_dir: str = ""
    max_retries: int = 3  # for the program's own failures; back-off from 10 s, doubled up to 5 min
    command: Sequence[str] = ("python3", "train.py")
    asks: dict[str, Any] = dataclasses.field(default_factory=dict)  # more arguments of job_spec


class JobQueue:
    def __init__(self, client: Optional[Client] = None) -> None:
        self.client = client or Client()

    def submit_job(self, job: JobConfig, priority: Priority = Priority.MEDIUM) -> str:
        """Submits a job and returns the platform's job id."""
        told = {"MODEL_NAME": job.model_name, "DATASET_PATH": job.dataset_path, "OUTPUT_DIR": job.output_dir}
        asks: dict[str, Any] = {"name": job.job_id, "gpus": job.num_gpus, "priority": _NUMBERS[priority], "retries": job.max_retries, **job.asks}
        asks["environment"] = {**{name: value for name, value in told.items() if value}, **(asks.get("environment") or {})}
        if job.user_id:
            asks["labels"] = {"user_id": job.user_id, **(asks.get("labels") or {})}
        return self.client.submit(job.command, request_id=f"job-queue/{job.job_id}", **asks).id

    def get_job(self, job_id: str) -> Job:
        return self.client.job(job_id)

    def get_job_status(self, job_id: str) -> JobState:
        return self.client.job(job_id).state

    def cancel_job(self, job_id: str) -> None:
        self.client.job(job_id).stop()

    def list_jobs(self) -> list[Job]:
        """Returns the jobs that are not over."""
        return list(self.client.jobs())


@functools.lru_cache(maxsize=None)
def get_job_queue() -> JobQueue:
    """Returns the queue of this machine's controller."""
    return JobQueue()
