"""Readers that wait: each asks one controller again and again, also while it hangs, and takes the answers when it goes on.

A controller that was suspended must not answer what it knew before.  Clients have left it by then, and would not see that.
"""

import http.client
import json
import select
import threading

from clients import now, shown
from live_platform import UnixConnection

_EVERY_S = 0.25
_PENDING_MAX = 40
_ANSWER_AT_ONCE_S = 5  # once the first bytes are there


class Watcher:
    """One thread, for one controller."""

    def __init__(self, name, socket, history, random, jobs):
        self.name = name
        self._socket = socket
        self._history = history
        self._random = random
        self._jobs = jobs  # of all clients: job -> detail when it was seen last
        self._pending = []  # (connection, job, time of the call)
        self._stopped = threading.Event()
        self.trouble = None
        self._thread = threading.Thread(target=self._run, name=name)

    def start(self):
        self._thread.start()

    def stop(self):
        self._stopped.set()

    def join(self):
        self._thread.join()

    def _run(self):
        try:
            while not self._stopped.is_set():
                self._ask()
                self._take(_EVERY_S)
        except Exception as error:  # the harness says so, and fails
            self.trouble = f"{self.name}: {error!r}"
        finally:
            for connection, _, _ in self._pending:
                connection.close()

    def _ask(self):
        recent = list(self._jobs)[-20:]
        if not recent or len(self._pending) >= _PENDING_MAX:
            return
        job = self._random.choice(recent)
        connection = UnixConnection(self._socket, _ANSWER_AT_ONCE_S)
        try:
            call = now()
            connection.request("GET", f"/api/v1/jobs/{job}")
            self._pending.append((connection, job, call))
        except OSError:
            connection.close()  # nobody listens

    def _take(self, seconds):
        if self._stopped.wait(seconds) or not self._pending:
            return
        ready, _, _ = select.select([connection.sock for connection, _, _ in self._pending], [], [], 0)
        for pending in [one for one in self._pending if one[0].sock in ready]:
            self._pending.remove(pending)
            connection, job, call = pending
            try:
                answer = connection.getresponse()
                document = json.loads(answer.read())
            except (OSError, ValueError, http.client.HTTPException):
                continue  # it died: this read shows nothing
            finally:
                connection.close()
            if answer.status == 200:
                self._history.add(self.name, "read", job, call, "ok", shown(document))
            elif answer.status == 404:
                self._history.add(self.name, "read", job, call, "ok", None)
