#!/usr/bin/python3
"""How long nobody decides when the leader of three controllers is lost: make bench-take-over.

Three controllers, an etcd of three members and two simulated nodes on one machine, with a client that submits all the
time.  Measured is the time from the fault to the first submit that the next leader has acknowledged.  With --submits, eight
clients submit that number of jobs a second over HTTP, and measured is the time between the last answer of the old leader and
the first of the next one, which is its first decision for a client.

With --load-minutes nothing is broken; four busy programs a core and the clients make the machine slow, and the lead is not to change.

  take_over.py --binary FILE [--faults kill,pause,stop] [--times N] [--submits RATE] [--leases-alone] [--load-minutes N]
"""

import argparse
import http.client
import json
import os
import pathlib
import statistics
import sys
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "integration")]

from live_platform import UnixConnection  # noqa: E402
from live_platform.busy import busy_programs  # noqa: E402
from live_platform.controllers import Controllers  # noqa: E402
from live_platform.waiting import eventually  # noqa: E402

SPEC = json.dumps({"run": "true", "resources": {"gpus": 0}}).encode()
THREADS = 8
ANSWER_WITHIN_S = 10
# It waits for nodes that do not come: measured is the controller, not the jobs' processes.
WAITING = {"name": "waiting", "command": ["true"], "nodes": 3, "gpus": {"count": 8}, "wait_for_nodes": True}


class Submits:
    """Submits at a rate per second; each is repeated with its key until it is answered."""

    def __init__(self, cluster, rate):
        self._cluster = cluster
        self._pause = THREADS / rate
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self.answers = []  # (time, controller)
        self.refused = []  # answers that no client should get
        self.tries = 0     # without an answer, and repeated
        self._threads = [threading.Thread(target=self._run, args=(k,)) for k in range(THREADS)]

    def start(self):
        for thread in self._threads:
            thread.start()

    def stop(self):
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def gap(self, before, after):
        """From the last answer of one controller to the first that another one gave after this time; None: not yet."""
        with self._lock:
            answers = list(self.answers)
        firsts = [at for at, who in answers if who is not before and at > after]
        lasts = [at for at, who in answers if who is before]
        return min(firsts) - max(lasts) if firsts and lasts else None

    def _run(self, thread):
        lines = {}
        due = time.monotonic()
        for number in range(10**9):
            due = max(due + self._pause, time.monotonic() - 1)  # after a pause, not all that was missed at once
            if self._stopped.wait(max(0, due - time.monotonic())):
                return
            self._submit(lines, f"load-{id(self)}-{thread}-{number}")

    def _submit(self, lines, key):
        while not self._stopped.is_set():
            for one in self._cluster.controllers:
                status = self._once(lines, one, key)
                with self._lock:
                    if status in (200, 201):
                        self.answers.append((time.monotonic(), one))
                        return
                    if status and status < 500:
                        self.refused.append(status)
                        return
                    self.tries += 1 if status else 0
            time.sleep(0.002)

    def _once(self, lines, one, key):
        """The status; 0: nobody listens there; 599: no answer."""
        line = lines.get(one)
        try:
            if not line:
                line = UnixConnection(f"{self._cluster.places[one][1]}/http.sock", ANSWER_WITHIN_S)
                line.connect()
        except OSError:
            return 0
        try:
            line.request("POST", "/api/v1/jobs", json.dumps({"specs": [WAITING]}), {"Idempotency-Key": key})
            answer = line.getresponse()
            answer.read()
            lines[one] = line
            return answer.status
        except (OSError, http.client.HTTPException):
            line.close()
            lines.pop(one, None)
            return 599


def submit(cluster, leader, key):
    answer = cluster.cli_of(leader)("-q", "jobs", "submit", "--request-id", key, "-", input=SPEC)
    return answer.out.strip() if answer.code == 0 else ""


def first_acknowledged(cluster, besides, key):
    """The controller that acknowledges a submit first."""
    def found():
        for one in cluster.controllers:
            # A command waits for a controller that does not listen yet.
            opens = one is not besides and one.runs() and "controller runs" in one.text_of_run()
            if opens and submit(cluster, one, key):
                return one
        return None
    return eventually(found, lambda: f"another controller answers\n{cluster.logs()}", timeout=60, interval=0.005)


def break_leader(cluster, fault):
    leader = cluster.controller
    {"kill": leader.kill, "pause": leader.pause, "stop": leader.stop}[fault]()
    return leader


def repair(cluster, fault, leader):
    cluster.await_leader(other_than=leader)
    if fault == "pause":
        leader.resume()
        eventually(lambda: not leader.runs(), "the deposed one stops")
    leader.start()
    cluster.await_standby(leader)


def once(cluster, fault, key):
    begun = time.monotonic()
    leader = break_leader(cluster, fault)
    if fault == "stop":
        begun = time.monotonic()  # it decides until it has ended
    first_acknowledged(cluster, leader, key)
    took = time.monotonic() - begun
    repair(cluster, fault, leader)
    return took


def remove_waiting(cluster):
    """Of all rounds the queue is as short at the beginning."""
    while names := [job["id"] for job in cluster.cli.jobs() if job["spec"]["name"] == WAITING["name"]]:
        line = UnixConnection(f"{cluster.run_directory}/http.sock", 120)
        line.request("POST", "/api/v1/jobs:change", json.dumps({"action": "KILL", "names": names[:1000]}))
        answer = line.getresponse()
        assert answer.status == 200, answer.read()
        line.close()


def once_under_load(cluster, fault, rate, sums):
    load = Submits(cluster, rate)
    load.start()
    try:
        eventually(lambda: len(load.answers) > rate, lambda: f"submits are answered\n{cluster.logs()}")
        begun = time.monotonic()
        leader = break_leader(cluster, fault)
        gap = eventually(lambda: load.gap(leader, begun), lambda: f"another one answers\n{cluster.logs()}", timeout=60)
    finally:
        load.stop()
    sums["submits"] += len(load.answers)
    sums["repeated"] += load.tries
    sums["refused"] += len(load.refused)
    repair(cluster, fault, leader)
    remove_waiting(cluster)
    return gap


def term(cluster):
    return int(cluster.cli.json("admin", "controllers", "list")["term"])


def keep_busy(cluster, minutes, rate):
    load, before = Submits(cluster, rate), term(cluster)
    load.start()
    with busy_programs() as programs:
        time.sleep(60 * minutes)
        machine = os.getloadavg()[1]
    load.stop()
    moments = [at for at, _ in load.answers]
    longest = max(later - earlier for earlier, later in zip(sorted(moments), sorted(moments)[1:]))
    cluster.await_leader(other_than=None)
    print(f"{minutes:g} min, {programs} busy programs, load {machine:.1f}: {term(cluster) - before} take-overs, {len(load.answers)} submits, "
          f"{load.tries} repeated, {len(load.refused)} refused, at most {longest:.2f} s between two answers", flush=True)
    remove_waiting(cluster)


def quantile(times, part):
    return times[int(part * (len(times) - 1))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--faults", default="kill,pause,stop")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--submits", type=int, default=0, help="a second, at the same time")
    parser.add_argument("--leases-alone", action="store_true",
                        help="controllers without ports: a standby notices the end of a leader by its lease")
    parser.add_argument("--load-minutes", type=float, help="nothing is broken, and the machine is slow")
    options = parser.parse_args()
    cluster = Controllers(os.path.abspath(options.binary), members=3, nodes=2,
                          serve_flags=() if options.leases_alone else ("--listen", "127.0.0.1:0"))
    try:
        cluster.start()
        if options.load_minutes:
            keep_busy(cluster, options.load_minutes, options.submits or 20)
        for fault in options.faults.split(",") if not options.load_minutes else ():
            sums = dict.fromkeys(("submits", "repeated", "refused"), 0)
            times = sorted(once_under_load(cluster, fault, options.submits, sums) if options.submits
                           else once(cluster, fault, f"{fault}-{k}") for k in range(options.times))
            load = f"; {', '.join(f'{count} {what}' for what, count in sums.items())}" if options.submits else ""
            print(f"{fault}: {len(times)} times, p50 {statistics.median(times):.2f} s, p90 {quantile(times, 0.9):.2f} s, "
                  f"p99 {quantile(times, 0.99):.2f} s, most {times[-1]:.2f} s{load}", flush=True)
        cluster.settle()
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
