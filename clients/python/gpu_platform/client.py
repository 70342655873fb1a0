"""The client and its jobs."""

from __future__ import annotations

import base64
import codecs
import enum
import time
import uuid
from typing import Any, Iterator, Mapping, Optional, Sequence
from urllib.parse import quote

from .connection import Connection, Event
from .errors import Unavailable
from .operations import Operations
from .spec import job_spec

_PAGE = 1000
_LOOK_AGAIN_S = 0.2


class JobState(str, enum.Enum):
    PENDING = "PENDING"      # held, or waits for a retry
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    PREEMPTED = "PREEMPTED"  # evicted, will be queued again
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"

    @property
    def is_over(self) -> bool:
        return self in (JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED)


class Job:
    """A job as last read; `refresh`, `wait` and `watch` update it.  `fields`: all fields of the API's message Job."""

    def __init__(self, client: Client, fields: Mapping[str, Any]) -> None:
        self.client = client
        self.fields = dict(fields)

    def __repr__(self) -> str:
        return f"Job({self.id}, {self.fields.get('state', 'not read yet')})"

    @property
    def id(self) -> str:
        return str(self.fields["id"])

    @property
    def state(self) -> JobState:
        if "state" not in self.fields:
            self.refresh()
        return JobState(self.fields["state"])

    @property
    def exit_code(self) -> Optional[int]:
        """None until the job has ended."""
        code = self.fields.get("exit_code")
        return None if code is None else int(code)

    @property
    def reason(self) -> str:
        """The reason for its state, in words: why it is pending, why it ended."""
        return str(self.fields.get("reason", ""))

    def refresh(self) -> Job:
        self.fields = dict(self.client.connection.ask("GET", self._path()))
        return self

    def watch(self) -> Iterator[Job]:
        """Yields the job now and after each change, until it has ended."""
        for event in self.client.connection.events(self._path("/events")):
            self.fields = dict(event.data)
            yield self

    def wait(self, timeout: Optional[float] = None) -> Job:
        """Waits until the job has ended.  Raises TimeoutError after `timeout` seconds; the job keeps running."""
        until = None if timeout is None else time.monotonic() + timeout
        if until is None:
            for _ in self.watch():
                pass
            return self if self.state.is_over else self.refresh()
        while not self.refresh().state.is_over:
            if time.monotonic() >= until:
                raise TimeoutError(f"{self.id} is {self.state.value}")
            time.sleep(min(_LOOK_AGAIN_S, max(until - time.monotonic(), 0)))
        return self

    def follow(self, rank: int = 0, errors: bool = False) -> Iterator[str]:
        """Yields the output as text while it is written, attempt after attempt, until the job has ended.

        Nothing is lost or repeated when the connection breaks or the controller restarts.  `errors`: standard error instead.
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for piece in self.follow_bytes(rank, errors):
            text = decoder.decode(piece)
            if text:
                yield text
        last = decoder.decode(b"", True)
        if last:
            yield last

    def follow_bytes(self, rank: int = 0, errors: bool = False) -> Iterator[bytes]:
        attempt = 0
        while self._await_attempt(attempt + 1):
            attempt += 1
            query = {"rank": rank, "errors": errors, "follow": True, "attempt": attempt}
            try:
                for event in self.client.connection.events(self._path("/log"), query):
                    yield base64.b64decode(event.data["data"])
            except Unavailable:
                if int(self.refresh().fields["attempt"]) == attempt:
                    raise
                # The node is lost with the output that was not read yet; another attempt runs elsewhere.

    def output(self, rank: int = 0, errors: bool = False, attempt: int = 0) -> bytes:
        """Returns the standard output so far; `errors`: the standard error.  `attempt` 0: the last attempt."""
        query = {"rank": rank, "errors": errors, "attempt": attempt}
        events = self.client.connection.events(self._path("/log"), query)
        return b"".join(base64.b64decode(event.data["data"]) for event in events)

    def logs(self, rank: int = 0, attempt: int = 0) -> str:
        """Returns the output so far as text: standard output, then standard error, which shows why a job failed."""
        return (self.output(rank, False, attempt) + self.output(rank, True, attempt)).decode(errors="replace")

    def stop(self, force: bool = False) -> Job:
        """Stops the job: it is killed after its grace period, with `force` immediately."""
        return self._change("stop", {"force": force})

    cancel = stop

    def hold(self) -> Job:
        """Holds the job: it does not start until it is released."""
        return self._change("hold", {})

    def release(self) -> Job:
        return self._change("release", {})

    def set_priority(self, priority: int) -> Job:
        """Sets the priority, 0 to 1000."""
        return self._change("prioritize", {"priority": priority})

    def extend(self, by: Optional[float] = None, to: Optional[float] = None, force: bool = False) -> Job:
        """Changes the time limit, in seconds: `by` adds to it, `to` sets it, counted from the placement.

        Refused if other jobs wait for its GPUs, or if a reservation of its nodes starts earlier; operators of its queue may
        override the first with `force`.
        """
        if (by is None) == (to is None):
            raise ValueError("pass either by or to")
        body: dict[str, Any] = {"force": force}
        if by is not None:
            body["longer_by_ms"] = round(by * 1000)
        if to is not None:
            body["time_limit_ms"] = round(to * 1000)
        return self._change("setTimeLimit", body)

    def report(self) -> dict[str, Any]:
        """Returns how the last attempt used its grant, and how much would have been enough (message JobReport).

        Values that were not measured are absent (None), never zero.
        """
        return dict(self.client.connection.ask("GET", self._path("/report")))

    def explain(self, forecast: bool = True) -> dict[str, Any]:
        """Returns why the job is pending, what would start it now and when it may start (message ExplainJobReply)."""
        return dict(self.client.connection.ask("POST", "/api/v1/jobs:explain", body={"job_id": self.id, "forecast": forecast}))

    def _path(self, more: str = "") -> str:
        return f"/api/v1/jobs/{quote(self.id, safe='')}{more}"

    def _change(self, what: str, body: Mapping[str, Any]) -> Job:
        self.fields = dict(self.client.connection.ask("POST", self._path(":" + what), body=body))
        return self

    def _await_attempt(self, number: int) -> bool:
        """Waits until the attempt exists.  Returns False if there will be none."""
        for _ in self.watch():
            if int(self.fields.get("attempt", 0)) >= number:
                return True
        return False


class Client:
    """A client of one controller; the arguments are those of Connection.  Default: the controller of this machine."""

    def __init__(self, server: Optional[str] = None, token: Optional[str] = None, authority: Optional[str] = None,
                 timeout: float = 60.0, patience: float = 30.0) -> None:
        self.connection = Connection(server, token, authority, timeout, patience)
        self.operations = Operations(self.connection)  # every operation of the API, with the names of the reference

    def submit(self, command: Sequence[str], *, request_id: Optional[str] = None, **asks: Any) -> Job:
        """Submits one job; `asks` as in job_spec.  If the connection breaks, the request is repeated and still makes one job.
        `request_id`: repeating it returns the same job, also from another process."""
        return self.submit_specs([job_spec(command, **asks)], request_id)[0]

    def submit_specs(self, specs: Sequence[Mapping[str, Any]], request_id: Optional[str] = None) -> list[Job]:
        """Submits all specs, or none if one is refused."""
        reply = self.connection.ask("POST", "/api/v1/jobs", body={"specs": [dict(spec) for spec in specs]}, key=request_id or uuid.uuid4().hex)
        return [Job(self, {"id": one}) for one in reply["job_ids"]]

    def run(self, command: Sequence[str], **asks: Any) -> Job:
        """Submits a job and waits until it has ended."""
        return self.submit(command, **asks).wait()

    def job(self, job_id: str) -> Job:
        """Reads a job.  Raises NotFound if it does not exist or the caller may not see it."""
        return Job(self, {"id": job_id}).refresh()

    def jobs(self, *, all: bool = False, user: str = "", states: Sequence[str] = (), name: str = "") -> Iterator[Job]:
        """Yields jobs, newest last.  `all`: finished jobs too."""
        query: dict[str, Any] = {"all": all, "user": user, "states": [JobState(one).value for one in states], "name": name, "limit": _PAGE}
        while True:
            page = self.connection.ask("GET", "/api/v1/jobs", query)
            for fields in page["jobs"]:
                yield Job(self, fields)
            if not page["next"]:
                return
            query["after"] = page["next"]

    def explain(self, command: Sequence[str], *, forecast: bool = True, **asks: Any) -> dict[str, Any]:
        """Returns what would happen to such a job, without submitting it (message ExplainJobReply)."""
        return dict(self.connection.ask("POST", "/api/v1/jobs:explain", body={"spec": job_spec(command, **asks), "forecast": forecast}))

    def cluster(self, readings: bool = False) -> dict[str, Any]:
        """Returns nodes and GPUs with their users (message Cluster)."""
        return dict(self.connection.ask("GET", "/api/v1/cluster", {"readings": readings}))

    def queues(self) -> list[dict[str, Any]]:
        return list(self.connection.ask("GET", "/api/v1/queues")["queues"])

    def whoami(self) -> dict[str, Any]:
        return dict(self.connection.ask("GET", "/api/v1/self"))

    def events(self, kinds: Sequence[str] = (), since: str = "") -> Iterator[Event]:
        """Yields changes from now on, or after the id `since`; never ends.  After a "missed" event, read everything again."""
        return self.connection.events("/api/v1/events", {"kinds": list(kinds)}, since)
