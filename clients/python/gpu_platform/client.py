"""Jobs, as a program asks for them."""

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
from .spec import job_spec

_PAGE = 1000
_LOOK_AGAIN_S = 0.2


class JobState(str, enum.Enum):
    PENDING = "PENDING"      # held, or waits to be tried again
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    PREEMPTED = "PREEMPTED"  # lost its place, will be queued again
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"

    @property
    def is_over(self) -> bool:
        return self in (JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED)


class Job:
    """A job as it was when it was last asked for; `refresh`, `wait` and `watch` renew it.  `fields`: all of it, as the API has it."""

    def __init__(self, client: Client, fields: Mapping[str, Any]) -> None:
        self.client = client
        self.fields = dict(fields)

    def __repr__(self) -> str:
        return f"Job({self.id}, {self.fields.get('state', 'not looked at yet')})"

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
        """None: it has not ended."""
        code = self.fields.get("exit_code")
        return None if code is None else int(code)

    @property
    def reason(self) -> str:
        """Of its state, in words: why it waits, why it ended."""
        return str(self.fields.get("reason", ""))

    def refresh(self) -> Job:
        self.fields = dict(self.client.connection.ask("GET", self._path()))
        return self

    def watch(self) -> Iterator[Job]:
        """Itself, now and after each change, until it has ended."""
        for event in self.client.connection.events(self._path("/events")):
            self.fields = dict(event.data)
            yield self

    def wait(self, timeout: Optional[float] = None) -> Job:
        """Until it has ended.  TimeoutError after `timeout` seconds; the job goes on."""
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
        """Its output as text, as it is written, one attempt behind the other, until it has ended; nothing is left out and nothing comes twice, over breaks of
        the line and restarts of the controller.  `errors`: standard error instead."""
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
                # Its node is gone, with what was not read yet; another attempt goes on elsewhere.

    def output(self, rank: int = 0, errors: bool = False, attempt: int = 0) -> bytes:
        """What it has written so far to standard output; `errors`: to standard error.  `attempt`: 0: the last."""
        query = {"rank": rank, "errors": errors, "attempt": attempt}
        events = self.client.connection.events(self._path("/log"), query)
        return b"".join(base64.b64decode(event.data["data"]) for event in events)

    def logs(self, rank: int = 0, attempt: int = 0) -> str:
        """What it has written so far as text: its standard output, then its standard error, which says why it failed."""
        return (self.output(rank, False, attempt) + self.output(rank, True, attempt)).decode(errors="replace")

    def stop(self, force: bool = False) -> Job:
        """Tells it to end; it is killed when its grace is over, with `force` at once."""
        return self._change("stop", {"force": force})

    cancel = stop

    def hold(self) -> Job:
        """Keeps it from starting."""
        return self._change("hold", {})

    def release(self) -> Job:
        return self._change("release", {})

    def set_priority(self, priority: int) -> Job:
        """0 to 1000."""
        return self._change("prioritize", {"priority": priority})

    def extend(self, by: Optional[float] = None, to: Optional[float] = None, force: bool = False) -> Job:
        """Another time limit, in seconds: so much longer than now, or so long in all from its placement on.

        Refused where others wait for its place or a reservation of its nodes begins before; operators of its queue may `force` the first.
        """
        if (by is None) == (to is None):
            raise ValueError("give either by or to")
        body: dict[str, Any] = {"force": force}
        if by is not None:
            body["longer_by_ms"] = round(by * 1000)
        if to is not None:
            body["time_limit_ms"] = round(to * 1000)
        return self._change("setTimeLimit", body)

    def report(self) -> dict[str, Any]:
        """What its last attempt did with what it was granted, and what would have been enough: JobReport of the contract.

        What was not measured is absent (None), and never zero.
        """
        return dict(self.client.connection.ask("GET", self._path("/report")))

    def explain(self, forecast: bool = True) -> dict[str, Any]:
        """Why it waits, what would start it now, when it may start (message ExplainJobReply)."""
        return dict(self.client.connection.ask("POST", "/api/v1/jobs:explain", body={"job_id": self.id, "forecast": forecast}))

    def _path(self, more: str = "") -> str:
        return f"/api/v1/jobs/{quote(self.id, safe='')}{more}"

    def _change(self, what: str, body: Mapping[str, Any]) -> Job:
        self.fields = dict(self.client.connection.ask("POST", self._path(":" + what), body=body))
        return self

    def _await_attempt(self, number: int) -> bool:
        """Until the attempt has been started.  False: there will be none."""
        for _ in self.watch():
            if int(self.fields.get("attempt", 0)) >= number:
                return True
        return False


class Client:
    """`server`, `token`, `authority`, `timeout`, `patience`: as in Connection; without any, the controller of this machine."""

    def __init__(self, server: Optional[str] = None, token: Optional[str] = None, authority: Optional[str] = None,
                 timeout: float = 60.0, patience: float = 30.0) -> None:
        self.connection = Connection(server, token, authority, timeout, patience)

    def submit(self, command: Sequence[str], *, request_id: Optional[str] = None, **asks: Any) -> Job:
        """Queues one job; `asks` as in job_spec.  Where the line breaks it is asked again, and is one job all the same.
        `request_id`: the same one gives the same job, also from another process."""
        return self.submit_specs([job_spec(command, **asks)], request_id)[0]

    def submit_specs(self, specs: Sequence[Mapping[str, Any]], request_id: Optional[str] = None) -> list[Job]:
        """Queues all of them or, where one is refused, none."""
        reply = self.connection.ask("POST", "/api/v1/jobs", body={"specs": [dict(spec) for spec in specs]}, key=request_id or uuid.uuid4().hex)
        return [Job(self, {"id": one}) for one in reply["job_ids"]]

    def run(self, command: Sequence[str], **asks: Any) -> Job:
        """Submits it and waits for its end."""
        return self.submit(command, **asks).wait()

    def job(self, job_id: str) -> Job:
        """NotFound: there is none, or the caller may not see it."""
        return Job(self, {"id": job_id}).refresh()

    def jobs(self, *, all: bool = False, user: str = "", states: Sequence[str] = (), name: str = "") -> Iterator[Job]:
        """Newest last.  `all`: finished ones too."""
        query: dict[str, Any] = {"all": all, "user": user, "states": [JobState(one).value for one in states], "name": name, "limit": _PAGE}
        while True:
            page = self.connection.ask("GET", "/api/v1/jobs", query)
            for fields in page["jobs"]:
                yield Job(self, fields)
            if not page["next"]:
                return
            query["after"] = page["next"]

    def explain(self, command: Sequence[str], *, forecast: bool = True, **asks: Any) -> dict[str, Any]:
        """What would become of such a job, without submitting it."""
        return dict(self.connection.ask("POST", "/api/v1/jobs:explain", body={"spec": job_spec(command, **asks), "forecast": forecast}))

    def cluster(self, readings: bool = False) -> dict[str, Any]:
        """Nodes and GPUs, and who uses them (message Cluster)."""
        return dict(self.connection.ask("GET", "/api/v1/cluster", {"readings": readings}))

    def queues(self) -> list[dict[str, Any]]:
        return list(self.connection.ask("GET", "/api/v1/queues")["queues"])

    def whoami(self) -> dict[str, Any]:
        return dict(self.connection.ask("GET", "/api/v1/self"))

    def events(self, kinds: Sequence[str] = (), since: str = "") -> Iterator[Event]:
        """What changes, from now on or behind an id that was seen; never ends.  A "missed" one: read everything anew."""
        return self.connection.events("/api/v1/events", {"kinds": list(kinds)}, since)
