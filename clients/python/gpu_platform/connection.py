"""The controller's HTTP interface: address, credentials, and retries, which repeat no change."""

from __future__ import annotations

import copy
import http.client
import json
import os
import random
import ssl
import threading
import time
import urllib.parse
import uuid
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from .addresses import Servers
from .errors import PlatformError, Unauthenticated, Unavailable, error_of

Query = Mapping[str, Union[str, int, bool, Sequence[str], None]]

_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 2.0
_LONGEST_PAUSE_OF_SEVERAL_S = 0.5
# Controllers send something on a stream each 10 s.
_SILENCE_OF_SEVERAL_S = 25.0
_GONE = (OSError, http.client.HTTPException)


class Event(NamedTuple):
    """One server-sent event."""

    id: str    # resumes the stream after a break; empty: the event has none
    kind: str
    data: Any


def default_server() -> str:
    """GPU_PLATFORM_HTTP, else the run directory GPU_PLATFORM_SERVER, else that of this user's or this machine's controller."""
    if os.environ.get("GPU_PLATFORM_HTTP"):
        return os.environ["GPU_PLATFORM_HTTP"]
    if "/" in os.environ.get("GPU_PLATFORM_SERVER", ""):
        return os.environ["GPU_PLATFORM_SERVER"]
    system = "/run/gpu-platform"
    if os.geteuid() == 0:
        return system
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.environ.get("HOME", "/tmp"), ".local/state")
    own = os.path.join(os.environ.get("XDG_RUNTIME_DIR") or os.path.join(state, "gpu-platform/run"), "gpu-platform")
    return system if os.path.exists(f"{system}/http.sock") and not os.path.exists(f"{own}/http.sock") else own


class Connection:
    """A thread-safe connection; each call opens its own.

    `server`: a run directory, "http://127.0.0.1:8080" or "https://gpu.example.org:8443"; of several controllers all addresses, with
    commas between them: "https://c1:8443,https://c2:8443".  `token`: default GPU_PLATFORM_TOKEN; not needed on the Unix socket.
    `authority`: the CA of an https server, PEM or a file with it.
    `timeout`: seconds without data after which a connection counts as broken.  `patience`: seconds during which requests
    are retried if the server does not answer; with several addresses each is tried in turn, from the first failure on.
    """

    def __init__(self, server: Optional[str] = None, token: Optional[str] = None, authority: Optional[str] = None,
                 timeout: float = 60.0, patience: float = 30.0) -> None:
        self.server = server or default_server()
        self.timeout = timeout
        self.patience = patience
        self._stop: Optional[threading.Event] = None
        self._token = token or os.environ.get("GPU_PLATFORM_TOKEN") or None
        if self._token and any(c.isspace() or not c.isprintable() for c in self._token):
            raise Unauthenticated("invalid token: it contains spaces or line breaks", "unauthenticated")
        self._servers = Servers(self.server, self._token, authority)

    def until(self, stop: threading.Event) -> Connection:
        """Returns a copy whose event streams end within seconds once `stop` is set."""
        other = copy.copy(self)
        other._stop = stop
        return other

    def _headers(self, more: Optional[Mapping[str, str]]) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        headers.update(more or {})
        return headers

    @staticmethod
    def _target(path: str, query: Optional[Query]) -> str:
        fields: list[tuple[str, str]] = []
        for name, value in (query or {}).items():
            if value is None:
                continue
            for one in value if isinstance(value, (list, tuple)) else [value]:
                fields.append((name, str(one).lower() if isinstance(one, bool) else str(one)))
        return path + ("?" + urllib.parse.urlencode(fields) if fields else "")

    def ask(self, method: str, path: str, query: Optional[Query] = None, body: Optional[Mapping[str, Any]] = None,
            key: Optional[str] = None) -> Any:
        """Returns the parsed reply.  `key`: the idempotency key of a change, 1 to 128 printable characters; default: a new one.
        With it a change is made once, however often its request is repeated.  Raises PlatformError."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if method != "GET" and not (body or {}).get("request_id"):
            headers["Idempotency-Key"] = key or uuid.uuid4().hex
        text = None if body is None else json.dumps(body)
        pauses = self._pauses(time.monotonic())
        while True:
            place = self._servers.present
            try:
                return self._ask_once(place, method, self._target(path, query), text, self._headers(headers))
            except ssl.SSLCertVerificationError as error:
                raise _unknown(self.server, error) from None
            except _GONE as error:
                failure: PlatformError = Unavailable(f"{self.server}: {error}", "unavailable")
            except Unavailable as error:
                failure = error
            self._servers.leave(place)
            pause = next(pauses)
            if pause is None:
                raise failure
            time.sleep(pause)

    def _ask_once(self, place: int, method: str, target: str, text: Optional[str], headers: Mapping[str, str]) -> Any:
        line = self._servers.open(place, self.timeout)
        try:
            line.request(method, target, text, dict(headers))
            answer = line.getresponse()
            return _read(answer)
        finally:
            line.close()

    def _pauses(self, begun: Optional[float] = None) -> Iterator[Optional[float]]:
        """Yields the pause after each failed try; None: no more tries.  Of several addresses each is tried before a pause.
        `begun`: when the patience began; None: at the first failure, as always with several addresses."""
        others = len(self._servers) - 1
        until = (time.monotonic() if begun is None or others else begun) + self.patience
        pause = _FIRST_PAUSE_S
        while time.monotonic() + pause < until:
            for _ in range(others):
                yield 0.0
            yield pause * random.uniform(0.5, 1.0)
            pause = min(pause * 2, _LONGEST_PAUSE_OF_SEVERAL_S if others else _LONGEST_PAUSE_S)
        yield None

    def events(self, path: str, query: Optional[Query] = None, behind: str = "") -> Iterator[Event]:
        """Yields events until the server sends "end"; resumes after broken connections and restarts of the controller.
        `behind`: the id of the last event that was seen."""
        pauses = self._pauses()
        while not self._is_stopped():
            place = self._servers.present
            try:
                for event in self._events_once(place, path, query, behind):
                    pauses = self._pauses()  # the server answers
                    if event.kind == "end" or self._is_stopped():
                        return
                    behind = event.id or behind
                    if event.kind:
                        yield event
                failure: PlatformError = Unavailable(f"{self.server}: the connection broke", "unavailable")
            except ssl.SSLCertVerificationError as error:
                raise _unknown(self.server, error) from None
            except _GONE as error:
                failure = Unavailable(f"{self.server}: {error}", "unavailable")
            except Unavailable as error:
                failure = error
            self._servers.leave(place)
            pause = next(pauses, None)
            if pause is None:
                raise failure
            time.sleep(pause)

    def _is_stopped(self) -> bool:
        return self._stop is not None and self._stop.is_set()

    def _events_once(self, place: int, path: str, query: Optional[Query], behind: str) -> Iterator[Event]:
        """Yields an empty event at the start and for each heartbeat, besides the events."""
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": behind} if behind else {})}
        line = self._servers.open(place, self.timeout)
        answer: Optional[http.client.HTTPResponse] = None
        try:
            line.request("GET", self._target(path, query), headers=self._headers(headers))
            answer = line.getresponse()
            _check_whole(answer)
            if answer.status != 200:
                _read(answer)
            if len(self._servers) > 1 and line.sock is not None:
                line.sock.settimeout(min(self.timeout, _SILENCE_OF_SEVERAL_S))
            yield Event("", "", None)
            fields: dict[str, str] = {}
            while raw := answer.readline():
                text = raw.decode("utf-8", "replace").rstrip("\r\n")
                if text.startswith(":"):
                    yield Event("", "", None)
                elif text:
                    name, _, value = text.partition(": ")
                    fields[name] = value
                elif fields:
                    yield Event(fields.get("id", ""), fields.get("event", ""), json.loads(fields.get("data", "null")))
                    fields = {}
        finally:
            if answer is not None:
                answer.close()  # the reply owns the socket if the server closes the connection after it
            line.close()


def _unknown(server: str, error: Exception) -> PlatformError:
    return Unauthenticated(f"{server}: its certificate is not trusted (authority=): {error}", "unauthenticated")


def _check_whole(answer: http.client.HTTPResponse) -> None:
    """Detects truncated headers, which look complete: the controller's replies always declare the body's length."""
    if answer.length is None and not answer.chunked:
        raise http.client.IncompleteRead(b"")


def _read(answer: http.client.HTTPResponse) -> Any:
    _check_whole(answer)
    body = answer.read()
    is_json = (answer.getheader("Content-Type") or "").partition(";")[0] in ("application/json", "application/problem+json")
    try:
        document = json.loads(body) if is_json else body.decode("utf-8", "replace")
    except ValueError as error:
        raise PlatformError(f"the reply is not JSON: {error}", "internal", answer.status) from None
    if answer.status >= 400:
        raise error_of(answer.status, document if isinstance(document, dict) else None)
    return document
