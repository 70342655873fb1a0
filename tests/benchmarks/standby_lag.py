#!/usr/bin/python3
"""How far a standby is behind, and how fast it catches up: make bench-standby-lag.

Three controllers and an etcd of three members on one machine, no node.  While clients submit at a rate, jobs are submitted and
looked for at a standby until it has them.  Then a standby is stopped by SIGSTOP while as much as possible is submitted, and goes
on: measured are the records that it catches up a second, and the leader's submits before and meanwhile.

  standby_lag.py --binary FILE [--submits 500] [--probes 400] [--records 200000]
"""

import argparse
import http.client
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "integration")]

from live_platform import UnixConnection  # noqa: E402
from live_platform.controllers import Controllers  # noqa: E402
from take_over import WAITING, Submits  # noqa: E402


def percentiles(values):
    ordered = sorted(values)
    return {"p50": round(statistics.median(ordered), 4), "p99": round(ordered[int(0.99 * (len(ordered) - 1))], 4)}


def submit(connection, key):
    connection.request("POST", "/api/v1/jobs", json.dumps({"specs": [WAITING]}), {"Idempotency-Key": key})
    answer = connection.getresponse()
    document = json.loads(answer.read())
    assert answer.status in (200, 201), document
    return document["job_ids"][0]


class Asker:
    """Of the standby's door for reads."""

    def __init__(self, cluster, standby, secret):
        self._headers = {"Authorization": f"Bearer {secret}"}
        self._connection = http.client.HTTPConnection("127.0.0.1", cluster.port_of(standby, "reads"), timeout=20)

    def has(self, job):
        self._connection.request("GET", f"/api/v1/jobs/{job}?stale=60s&fields=id", headers=self._headers)
        answer = self._connection.getresponse()
        answer.read()
        return answer.status == 200


def lag(cluster, standby, secret, options):
    """Seconds from the acknowledgement of a submit until the standby shows its job."""
    load = Submits(cluster, options.submits)
    load.start()
    leader, asker, spans = UnixConnection(f"{cluster.run_directory}/http.sock", 20), Asker(cluster, standby, secret), []
    try:
        for number in range(options.probes):
            job = submit(leader, f"probe-{number}")
            acknowledged = time.monotonic()
            while not asker.has(job):
                time.sleep(0.001)
            spans.append(time.monotonic() - acknowledged)
    finally:
        load.stop()
    times = [at for at, _ in load.answers]
    return {"lag_s": percentiles(spans), "submits_per_s": round(len(times) / (max(times) - min(times)))}


def behind(cluster, name):
    return next(one["behind"] for one in cluster.cli.json("admin", "controllers", "list")["controllers"] if one["name"] == name)


class Paced:
    """Submits one after the other with short rests, and how long each took."""

    def __init__(self, cluster):
        self._connection = UnixConnection(f"{cluster.run_directory}/http.sock", 20)
        self._ended, self.spans = threading.Event(), []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        number = 0
        while not self._ended.wait(0.01):
            begin = time.monotonic()
            submit(self._connection, f"paced-{id(self)}-{number}")
            self.spans.append(time.monotonic() - begin)
            number += 1

    def end(self):
        self._ended.set()
        self._thread.join()
        return percentiles(self.spans)


def catch_up(cluster, standby, secret, options):
    pipelined = os.path.join(os.path.dirname(cluster.binary), "pipelined")
    quiet = Paced(cluster)
    time.sleep(5)
    before = quiet.end()
    os.kill(standby.pid, signal.SIGSTOP)
    subprocess.run([pipelined, f"127.0.0.1:{cluster.grpc_port()}", secret, str(options.records), "256"], check=True, capture_output=True)
    number = cluster.controllers.index(standby) + 1
    lacked = behind(cluster, f"c{number}")
    paced = Paced(cluster)
    asker = Asker(cluster, standby, secret)
    job = submit(UnixConnection(f"{cluster.run_directory}/http.sock", 20), "last")
    os.kill(standby.pid, signal.SIGCONT)
    begin = time.monotonic()
    while not asker.has(job):
        time.sleep(0.02)
    took = time.monotonic() - begin
    meanwhile = paced.end()
    return {"records": lacked, "caught_up_s": round(took, 2), "records_per_s": round(lacked / took),
            "submit_s": before, "submit_meanwhile_s": meanwhile}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--submits", type=int, default=500)
    parser.add_argument("--probes", type=int, default=400)
    parser.add_argument("--records", type=int, default=200_000, help="must be written within the minute for which the log waits")
    options = parser.parse_args()
    cluster = Controllers(os.path.abspath(options.binary), nodes=0, members=3,
                          serve_flags=("--listen", "127.0.0.1:0", "--reads", "127.0.0.1:0"))
    try:
        cluster.start()
        secret = cluster.cli.json("tokens", "create", "bench")["secret"]
        time.sleep(1)  # the standbys have the token
        standbys = [one for one in cluster.controllers if one is not cluster.controller]
        print(json.dumps(lag(cluster, standbys[0], secret, options)), flush=True)
        print(json.dumps(catch_up(cluster, standbys[1], secret, options)), flush=True)
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
