#!/usr/bin/python3
"""How long nobody decides when the leader of three controllers is lost: make bench-take-over.

Three controllers, an etcd of three members and two simulated nodes on one machine, with a client that submits all the
time.  Measured is the time from the fault to the first submit that the next leader has acknowledged.

  take_over.py --binary FILE [--faults kill,pause,stop] [--times N]
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "integration")]

from live_platform.controllers import Controllers  # noqa: E402
from live_platform.waiting import eventually  # noqa: E402

SPEC = json.dumps({"run": "true", "resources": {"gpus": 0}}).encode()


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


def once(cluster, fault, key):
    leader = cluster.controller
    begun = time.monotonic()
    {"kill": leader.kill, "pause": leader.pause, "stop": leader.stop}[fault]()
    if fault == "stop":
        begun = time.monotonic()  # it decides until it has ended
    first_acknowledged(cluster, leader, key)
    took = time.monotonic() - begun
    cluster.await_leader(other_than=leader)
    if fault == "pause":
        leader.resume()
        eventually(lambda: not leader.runs(), "the deposed one stops")
    leader.start()
    cluster.await_standby(leader)
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--faults", default="kill,pause,stop")
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    cluster = Controllers(os.path.abspath(options.binary), members=3, nodes=2)
    try:
        cluster.start()
        for fault in options.faults.split(","):
            times = sorted(once(cluster, fault, f"{fault}-{k}") for k in range(options.times))
            print(f"{fault}: {len(times)} times, p50 {statistics.median(times):.2f} s, "
                  f"p90 {times[int(0.9 * (len(times) - 1))]:.2f} s, most {times[-1]:.2f} s", flush=True)
        cluster.settle()
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
