#!/usr/bin/python3
"""What reads of standbys add, and what they cost the leader: make bench-stale-reads.

Three controllers, an etcd and one simulated node on one machine; each controller may use 0.4 of a core.  Clients ask for a
page of 100 jobs: first all of the leader, then the same number of each standby, whose answers may be 2 s old.  Measured are
answers a second, and the leader's processor time while only standbys are asked.

  stale_reads.py --binary FILE [--rounds 3] [--seconds 8] [--jobs 2000]
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import statistics
import sys
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "integration")]

from live_platform.controllers import Controllers  # noqa: E402
from process_use import cpu_seconds  # noqa: E402

CORES = 0.4
CLIENTS = 2  # of each controller that is asked
PAGE = "/api/v1/jobs?limit=100&stale=2s"
CPU = pathlib.Path("/sys/fs/cgroup/cpu")  # of version 1
UNIFIED = pathlib.Path("/sys/fs/cgroup")


@contextlib.contextmanager
def limited(name, pid):
    """The process may use CORES of a core meanwhile."""
    is_old = CPU.is_dir()
    group = (CPU if is_old else UNIFIED) / f"gp-bench-{os.getpid()}-{name}"
    group.mkdir()
    try:
        if is_old:
            (group / "cpu.cfs_quota_us").write_text(str(int(100_000 * CORES)))
        else:
            (group / "cpu.max").write_text(f"{int(100_000 * CORES)} 100000")
        (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        for one in (group / "cgroup.procs").read_text().split():
            (group.parent / "cgroup.procs").write_text(one)
        group.rmdir()


class Clients:
    """Ask a controller all the time."""

    def __init__(self, port, secret):
        self.port, self.headers = port, {"Authorization": f"Bearer {secret}"}
        self.answers, self.too_old, self.oldest_s = 0, 0, 0.0
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _ask(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        while not self._ended.is_set():
            connection.request("GET", PAGE, headers=self.headers)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status in (200, 503), text
            with self._lock:
                self.answers += answer.status == 200
                self.too_old += answer.status == 503
                if answer.status == 200:
                    self.oldest_s = max(self.oldest_s, float(answer.headers["State-Age"]))

    def end(self):
        self._ended.set()
        for thread in self._threads:
            thread.join()


def asked(cluster, controllers, secret, seconds):
    """Answers a second, how old the oldest was, how many were refused, and the leader's share of a core."""
    leader = cluster.controller.pid
    before = cpu_seconds(leader)
    clients = [Clients(cluster.port_of(one, "reads"), secret) for one in controllers]
    time.sleep(seconds)
    for one in clients:
        one.end()
    return {"answers_per_s": round(sum(one.answers for one in clients) / seconds, 1),
            "oldest_s": max((one.oldest_s for one in clients), default=0), "too_old": sum(one.too_old for one in clients),
            "leader_cores": round((cpu_seconds(leader) - before) / seconds, 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--jobs", type=int, default=2000)
    options = parser.parse_args()
    cluster = Controllers(os.path.abspath(options.binary), nodes=1, serve_flags=("--reads", "127.0.0.1:0"))
    try:
        cluster.start()
        secret = cluster.cli.json("tokens", "create", "bench")["secret"]
        cluster.cli.start("--gpus", "9", "--wait-for-nodes", "--array", str(options.jobs), command=["true"])
        standbys = [one for one in cluster.controllers if one is not cluster.controller]
        rounds = []
        with contextlib.ExitStack() as limits:
            for one in cluster.controllers:
                limits.enter_context(limited(one.name, one.pid))
            time.sleep(3)  # the standbys have the jobs and the token
            for _ in range(options.rounds):
                rounds.append({"nobody": asked(cluster, [], secret, options.seconds),
                               "leader": asked(cluster, [cluster.controller], secret, options.seconds),
                               "standbys": asked(cluster, standbys, secret, options.seconds)})
        cluster.cli("jobs", "cancel", "--all", "--yes").ok()
        ratios = [one["standbys"]["answers_per_s"] / one["leader"]["answers_per_s"] for one in rounds]
        print(json.dumps({"rounds": rounds, "ratio": round(statistics.median(ratios), 2)}, indent=2))
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
