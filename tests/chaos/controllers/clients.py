"""Clients that submit, cancel, hold, release and read jobs while controllers fail; each operation goes into the history.

A line of the history: {"client", "op", "id", "call", "return", "end", "value"}.  `id` is the request id of a submit, which is
the job's name too, the name of a find, and the job of any other operation.  `call` and `return` are seconds since the boot of
this machine.  `end` is "ok", "fail" (it was refused: nothing came of it) or "unknown" (nobody knows yet, and it may still
happen).  A change that got no answer is repeated with the same request id, at each controller in turn, and is one operation.

Some reads go to the doors that standbys answer, and may be answered from an older state: the operation "stale", whose value has
the "age" that the answer told, the age that was "asked" for, and the "job" (none: there was none).
"""

import http.client
import json
import ssl
import threading
import time

from live_platform import UnixConnection

ANSWER_WITHIN_S = 3.0
ROVER_WITHIN_S = 1.0
OPERATION_WITHIN_S = 40.0
OPEN_MAX = 10  # of a client's jobs that no client has seen end
ENDED = ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED")


def now():
    """Of one clock for clients and jobs' programs, which nobody steps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class History:
    def __init__(self, path):
        self._file = open(path, "w", encoding="utf-8")
        self._lock = threading.Lock()
        self.operations = 0
        self.by_end = {"ok": 0, "fail": 0, "unknown": 0}
        self.last_change = now()
        self.longest_gap = 0.0  # between two changes that were acknowledged

    def add(self, client, op, subject, call, end, value):
        entry = {"client": client, "op": op, "id": subject, "call": round(call, 6), "return": round(now(), 6),
                 "end": end, "value": value}
        with self._lock:
            self.operations += 1
            self.by_end[end] += 1
            if end == "ok" and op not in ("read", "stale", "find"):
                self.longest_gap = max(self.longest_gap, entry["return"] - self.last_change)
                self.last_change = entry["return"]
            self._file.write(json.dumps(entry) + "\n")

    def close(self):
        self._file.close()


class Line:
    """HTTP to whichever controller answers, which is tried first the next time."""

    def __init__(self, sockets, stopped, within=ANSWER_WITHIN_S):
        self._within = within
        self._sockets = sockets
        self._stopped = stopped
        self._at = 0
        self._connection = None

    def call(self, method, path, body=None, key=None, tries=None):
        """(status, document); (None, None): no answer that says what happened."""
        deadline = time.monotonic() + OPERATION_WITHIN_S
        headers = {"Idempotency-Key": key} if key else {}
        text = None if body is None else json.dumps(body)
        delivered = 0
        while time.monotonic() < deadline:
            answer = self._once(method, path, text, headers)
            if answer and answer[0] < 500 and answer[0] != 429:
                return answer
            delivered += answer is not None
            if tries is not None and delivered >= tries:
                break
            self.turn()
            if answer is None and self._stopped.wait(0.05):
                break
        return None, None

    def _once(self, method, path, text, headers):
        """None: nobody listened; (599, None): a request may have come there, and no answer came."""
        try:
            if not self._connection:
                connection = UnixConnection(self._sockets[self._at], self._within)
                connection.connect()
                self._connection = connection
        except OSError:
            return None
        try:
            self._connection.request(method, path, text, headers)
            answer = self._connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, ValueError, http.client.HTTPException):
            self._connection.close()
            self._connection = None
            return 599, None

    def turn(self):
        """To the next controller."""
        self.close()
        self._at = (self._at + 1) % len(self._sockets)

    def close(self):
        if self._connection:
            self._connection.close()
            self._connection = None


class Doors:
    """Where each controller answers reads, as a standby too."""

    def __init__(self, addresses, secret):
        self.addresses = addresses
        self._headers = {"Authorization": f"Bearer {secret}"}
        self._trusting = ssl._create_unverified_context()  # who answers is not what is tested here

    def ask(self, which, path):
        """(status, document, age); (None, None, None): no answer."""
        host, port = self.addresses[which]
        connection = http.client.HTTPSConnection(host, port, timeout=ROVER_WITHIN_S, context=self._trusting)
        try:
            connection.request("GET", path, headers=self._headers)
            answer = connection.getresponse()
            age = answer.headers["State-Age"]
            return answer.status, json.loads(answer.read()), None if age is None else float(age)
        except (OSError, ValueError, http.client.HTTPException):
            return None, None, None
        finally:
            connection.close()


class Client:
    """One thread.  It has jobs of its own, and changes and reads those of others as well."""

    def __init__(self, name, sockets, doors, history, programs, random, jobs, pace):
        self.name = name
        self._doors = doors
        self._stopped = threading.Event()
        self._line = Line(sockets, self._stopped)
        self._rover = Line(sockets, self._stopped, ROVER_WITHIN_S)
        self._history = history
        self._programs = programs
        self._random = random
        self._jobs = jobs  # of all clients: job -> detail when it was seen last
        self._pace = pace
        self._count = 0
        self._open = []  # own jobs that nobody has seen end
        self.trouble = None
        self._thread = threading.Thread(target=self._run, name=name)

    def start(self):
        self._thread.start()

    def stop(self):
        self._stopped.set()

    def join(self):
        self._thread.join()

    def end(self, job):
        """After its thread has ended: cancels a job that would take long, which is an operation like any other."""
        self._stopped.clear()
        self._change_job(job, "cancel", "stop", {})

    def _run(self):
        try:
            while not self._stopped.wait(self._random.uniform(0, 2 * self._pace)):
                self._one()
        except Exception as error:  # the harness says so, and fails
            self.trouble = f"{self.name}: {error!r}"
        finally:
            self._line.close()
            self._rover.close()

    def _one(self):
        draw = self._random.random()
        if draw < 0.35:
            self._open = [job for job in self._open if self._jobs[job] not in ENDED]
            if len(self._open) < OPEN_MAX:
                self._submit()
        elif draw < 0.38:
            self._submit_refused()
        elif draw < 0.46:
            self._find()
        elif draw < 0.50:
            self._change("cancel", "stop", {"force": self._random.random() < 0.3}, ("QUEUED", "HELD", "STARTING", "RUNNING"))
        elif draw < 0.59:
            self._change("hold", "hold", {}, ("QUEUED",))
        elif draw < 0.68:
            self._change("release", "release", {}, ("HELD",))
        else:
            self._read()

    def _pick(self, details=()):
        """Mostly a job that was last seen like this; None: there is no job yet."""
        jobs = list(self._jobs)[-60:]
        fitting = [job for job in jobs if self._jobs[job] in details] if self._random.random() < 0.9 else []
        return self._random.choice(fitting or self._open or jobs) if jobs else None

    def _saw(self, document):
        self._jobs[document["id"]] = document["detail"]

    def _tries(self):
        """Some give up after the first request without an answer: such an operation ends unknown."""
        return 1 if self._random.random() < 0.4 else None

    def _submit(self):
        self._count += 1
        name = f"{self.name}-{self._count}"
        spec = self._programs.draw(name, self._random)
        call = now()
        status, document = self._line.call("POST", "/api/v1/jobs", {"specs": [spec]}, key=name, tries=self._tries())
        if status in (200, 201):
            job, = document["job_ids"]
            self._history.add(self.name, "submit", name, call, "ok", {"job": job})
            self._open.append(job)
            self._jobs[job] = "QUEUED"
        else:
            self._history.add(self.name, "submit", name, call, "fail" if status else "unknown", document)

    def _submit_refused(self):
        """A job that no node could ever run."""
        self._count += 1
        name = f"{self.name}-{self._count}"
        spec = self._programs.impossible(name)
        call = now()
        status, document = self._line.call("POST", "/api/v1/jobs", {"specs": [spec]}, key=name, tries=self._tries())
        if status in (200, 201):
            self._history.add(self.name, "submit", name, call, "ok", {"job": document["job_ids"][0]})
        else:
            self._history.add(self.name, "submit", name, call, "fail" if status else "unknown",
                              {"impossible": True, "detail": document and document.get("detail")})

    def _change(self, op, word, body, details):
        job = self._pick(details)
        if job:
            self._change_job(job, op, word, body)

    def _change_job(self, job, op, word, body):
        self._count += 1
        call = now()
        status, document = self._line.call("POST", f"/api/v1/jobs/{job}:{word}", body, key=f"{self.name}-{self._count}",
                                           tries=self._tries())
        if status == 200:
            self._history.add(self.name, op, job, call, "ok", shown(document))
            self._saw(document)
        else:
            self._history.add(self.name, op, job, call, "fail" if status else "unknown",
                              document and {"status": status, "detail": document.get("detail")})

    def _read(self):
        job = self._pick(("QUEUED", "STARTING", "RUNNING", "RECOVERING"))
        if not job:
            return
        if self._random.random() < 0.3:
            return self._read_stale(job)
        call = now()
        if self._random.random() < 0.3:
            # Also one that leads no more, and that others have left, is asked.
            self._rover.turn()
            status, document = self._rover.call("GET", f"/api/v1/jobs/{job}", tries=1)
        else:
            status, document = self._line.call("GET", f"/api/v1/jobs/{job}")
        if status == 200:
            self._history.add(self.name, "read", job, call, "ok", shown(document))
            self._saw(document)
        elif status == 404:
            self._history.add(self.name, "read", job, call, "ok", None)
        else:
            self._history.add(self.name, "read", job, call, "fail" if status else "unknown", document)

    def _read_stale(self, job):
        """Of any controller.  One that is not up to date, does not know the token yet, or changes its role refuses."""
        asked = self._random.choice((0.3, 1, 5, 60))
        call = now()
        status, document, age = self._doors.ask(self._random.randrange(len(self._doors.addresses)),
                                                f"/api/v1/jobs/{job}?stale={int(asked * 1000)}ms")
        if status in (200, 404):
            self._history.add(self.name, "stale", job, call, "ok",
                              {"asked": asked, "age": age, "job": shown(document) if status == 200 else None})
        else:
            self._history.add(self.name, "stale", job, call, "unknown", {"status": status})

    def _find(self):
        """All jobs with a name, which may be one that was refused, or whose submit got no answer."""
        name = f"{self.name}-{self._random.randrange(max(0, self._count - 20), self._count + 1)}"
        call = now()
        status, document = self._line.call("GET", f"/api/v1/jobs?all=true&job_names={name}")
        if status == 200:
            self._history.add(self.name, "find", name, call, "ok", [job["id"] for job in document.get("jobs", [])])
        else:
            self._history.add(self.name, "find", name, call, "fail" if status else "unknown", document)


def shown(job):
    """What a history keeps of a job that was read."""
    return {"name": job["spec"]["name"], "state": job["state"], "detail": job["detail"], "attempt": job.get("attempt", 0),
            "faults": job.get("faults", 0), "retries": job.get("retries_used", 0), "exit_code": job.get("exit_code")}
