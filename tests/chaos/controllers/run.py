#!/usr/bin/python3
"""Breaks three controllers, their etcd and what is between them for a while, and judges what clients and jobs saw.

  run.py --binary FILE [--seconds N] [--seed N] [--keep DIRECTORY]

--keep     where the history, the evidence and the logs stay; they always stay after a failure
docs/how-to/chaos.md says what is broken and what is checked.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "integration")]

import check_history  # noqa: E402
import networks  # noqa: E402
from clients import Client, Doors, History  # noqa: E402
from faults import Faults  # noqa: E402
from fleet import ENDS_BY_ITSELF, Fleet  # noqa: E402
from live_platform import etcd, eventually  # noqa: E402
from programs import Programs  # noqa: E402
from reachable import reachable  # noqa: E402
from watchers import Watcher  # noqa: E402

SKIPPED = 77
CLIENTS = 5
MOST_UNTIL_ENDED_S = 120


def say(text):
    print(time.strftime("%H:%M:%S "), text, flush=True)


def missing(options):
    if os.geteuid() != 0:
        return "this needs root: it makes network namespaces, and jobs run as other users"
    return etcd.missing() or networks.missing() or (
        "" if os.access(options.binary, os.X_OK) else f"no program to test: {options.binary}")


class Run:
    def __init__(self, options, fleet, place):
        self.options = options
        self.fleet = fleet
        self.place = place
        self.programs = Programs(fleet.shared)
        self.history = History(f"{place}/history.jsonl")
        self.faults = Faults(fleet, random.Random(options.seed), options.longest, say,
                             options.only.split(",") if options.only else (), options.clock_ahead)
        jobs = {}
        sockets = [fleet.http(one) for one in fleet.controllers]
        doors = Doors(fleet.reads(), fleet.cli.json("tokens", "create", "reader")["secret"])
        self.clients = [Client(f"client{k}", sockets[k % 3:] + sockets[:k % 3], doors, self.history, self.programs,
                               random.Random(f"{options.seed}/{k}"), jobs, options.pace) for k in range(1, CLIENTS + 1)]
        self.everyone = self.clients + [Watcher(f"watcher{k}", socket, self.history, random.Random(f"{options.seed}/w{k}"), jobs)
                                        for k, socket in enumerate(sockets, 1)]
        self.violations = []
        self.slowest = 0.0

    def go(self):
        for one in self.everyone:
            one.start()
        try:
            self._break()
        except AssertionError as error:
            self.violations.append(("well-again", str(error)))
            self.fleet.keep_stacks(self.place)
        finally:
            for one in self.everyone:
                one.stop()
            for one in self.everyone:
                one.join()
        self.violations += [("harness", one.trouble) for one in self.everyone if one.trouble]
        jobs = self._settle()
        self.history.close()
        self._keep_evidence()
        if jobs is not None:
            self._judge(jobs)
        return jobs or []

    def _break(self):
        deadline = time.monotonic() + self.options.seconds
        while time.monotonic() < deadline:
            time.sleep(0.5)
            self.faults.next()
            self.slowest = max(self.slowest, self.fleet.await_well())

    def _settle(self):
        """The final list of jobs, after all have ended; None: there is none."""
        try:
            self.fleet.controller = self.fleet.find_leader() or self.fleet.controller
            for job in self._list():
                if job["state"] in ("PENDING", "QUEUED"):
                    self.clients[0].end(job["id"])
            jobs = self._await_ends()
            self.fleet.keep_logs(self.place)
            if not self.fleet.agents_undisturbed():
                self.violations.append(("agents", "an agent has ended by itself"))
            codes = self.fleet.stop_all()
            if set(codes) != {0}:
                self.violations.append(("stop", f"exit codes of the agents, the standbys, the leader: {codes}"))
            self.violations += [("replay", text) for text in self.fleet.differences()]
            return jobs
        except AssertionError as error:
            self.violations.append(("settled", str(error)))
            return None

    def _await_ends(self):
        deadline = time.monotonic() + MOST_UNTIL_ENDED_S
        while True:
            jobs = self._list()
            left = [job["id"] for job in jobs if job["state"] not in check_history.ENDED]
            if not left:
                return jobs
            if time.monotonic() > deadline:
                self.violations.append(("settled", f"jobs do not end: {left}"))
                return jobs
            time.sleep(0.5)

    def _list(self):
        jobs, after = [], ""
        while True:
            page = eventually(lambda: self.fleet.ask(self.fleet.controller, f"/api/v1/jobs?all=true&limit=1000{after}", 30),
                              "the leader lists jobs").get("jobs", [])
            jobs += page
            if len(page) < 1000:
                return jobs
            after = f"&after={page[-1]['id']}"

    def _keep_evidence(self):
        shutil.copytree(self.programs.directory, f"{self.place}/evidence")

    def _judge(self, jobs):
        with open(f"{self.place}/jobs.json", "w", encoding="utf-8") as file:
            json.dump([{"id": job["id"], "user": job["user"], **check_history.final(job)} for job in jobs], file)
        self.violations += check_history.check_files(self.place)
        for name, code in self.fleet.own_ends:
            if code not in ENDS_BY_ITSELF:
                self.violations.append(("exit-code", f"{name} ended by itself with {code}"))

    def tell(self, jobs):
        def number(*rules):
            return sum(1 for rule, _ in self.violations if rule in rules)
        for rule, text in self.violations[:50]:
            print(f"VIOLATED {rule}: {text}")
        ends = self.history.by_end
        codes = sorted({code for _, code in self.fleet.own_ends})
        codes = f" with {', '.join(map(str, codes))}" if codes else ""
        print(f"seed {self.options.seed}: {self.history.operations} operations ({ends['ok']} ok, {ends['fail']} refused, "
              f"{ends['unknown']} unknown), {len(jobs)} jobs")
        print(f"{sum(self.faults.counts.values())} faults: "
              + ", ".join(f"{kind} {count}" for kind, count in sorted(self.faults.counts.items())))
        print(f"{self.fleet.take_overs} take-overs, {len(self.fleet.own_ends)} controllers ended by themselves{codes}; at most "
              f"{self.history.longest_gap:.1f} s between two acknowledged changes, {self.slowest:.1f} s from healed to well")
        print(f"{number('submit-lost', 'program-unknown')} lost, {number('submit-doubled', 'start-doubled', 'overlap')} doubled, "
              f"{len(self.violations)} violations", flush=True)


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seconds", type=float, default=75, help="of faults; before and after them it takes half a minute")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=6, help="most seconds that one fault lasts")
    parser.add_argument("--only", default="", help="kinds of faults, such as kill-leader,clock-leader: these, in this order")
    parser.add_argument("--clock-ahead", action="store_true", help="wall clocks also go ahead and then back, which stops timers of gRPC")
    parser.add_argument("--pace", type=float, default=0.15, help="mean seconds between two operations of one of five clients")
    parser.add_argument("--lease-time", default="3s", help="a short one: nodes are lost, and gangs start again, now and then")
    parser.add_argument("--wall-clock", default=os.environ.get("GP_WALL_CLOCK", ""), help="the library of that name, for clock steps")
    parser.add_argument("--keep", help="a directory for the history, the evidence and the logs")
    return parser.parse_args(arguments)


def main():
    options = options_of(sys.argv[1:])
    lacks = missing(options)
    if lacks:
        sys.stderr.write(f"SKIPPED: {lacks}\n")
        return 1 if os.environ.get("CI") == "true" else SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    place = tempfile.mkdtemp(prefix=f"seed-{options.seed}-", dir=options.keep)
    nets = networks.Networks(3)
    fleet = None
    try:
        nets.make()
        fleet = Fleet(reachable(options.binary), nets, options.wall_clock, serve_flags=("--lease-time", options.lease_time))
        fleet.start()
        say(f"three controllers and {len(fleet.agents)} nodes run; {place}")
        run = Run(options, fleet, place)
        jobs = run.go()
        run.tell(jobs)
        if run.violations:
            fleet.keep_logs(place)
            fleet.keep_journals(place)
            print(f"kept in {place}")
            return 1
        if not options.keep:
            shutil.rmtree(place)
        return 0
    finally:
        if fleet:
            fleet.close()
        nets.close()


if __name__ == "__main__":
    sys.exit(main())
