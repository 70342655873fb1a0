#!/usr/bin/python3
"""How soon agents notice that their controller was stopped (SIGSTOP), and what that costs: real processes, the driver
simulated.

A gang runs on all nodes meanwhile and must not be disturbed; no node may be lost.  --load-minutes N instead keeps the machine
busy with four programs per core for that time, and counts the agents that look elsewhere.
"""

import argparse
import json
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

from live_platform import Cluster, eventually  # noqa: E402
from live_platform.busy import busy_programs  # noqa: E402

NOTICED = "does not answer: looking for one that does"


def percentile(values, share):
    return round(sorted(values)[min(len(values) - 1, int(len(values) * share / 100))], 3)


def times_to_notice(cluster, pause_s):
    """Seconds from the stop until each agent looks elsewhere."""
    before = {agent: agent.text().count(NOTICED) for agent in cluster.agents}
    seconds = {}
    cluster.controller.pause()
    began = time.monotonic()
    while time.monotonic() - began < pause_s:
        for agent in cluster.agents:
            if agent not in seconds and agent.text().count(NOTICED) > before[agent]:
                seconds[agent] = time.monotonic() - began
        time.sleep(0.005)
    cluster.controller.resume()
    return list(seconds.values())


def count(cluster, text):
    return sum(agent.text().count(text) for agent in cluster.agents)


def stop_again_and_again(cluster, options):
    seconds, unnoticed = [], 0
    for _ in range(options.stops):
        time.sleep(random.uniform(2, 4))
        noticed = times_to_notice(cluster, pause_s=4)
        seconds += noticed
        unnoticed += options.nodes - len(noticed)
    return {"stops": options.stops, "unnoticed_after_4_s": unnoticed,
            "p50_s": percentile(seconds, 50), "p99_s": percentile(seconds, 99), "max_s": round(max(seconds), 3)}


def keep_busy(cluster, options):
    before = count(cluster, NOTICED)
    with busy_programs() as programs:
        time.sleep(60 * options.load_minutes)
        return {"minutes": options.load_minutes, "busy_programs": programs, "load": os.getloadavg()[1],
                "looked_elsewhere": count(cluster, NOTICED) - before}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--nodes", type=int, default=8)
    parser.add_argument("--stops", type=int, default=20)
    parser.add_argument("--load-minutes", type=float)
    options = parser.parse_args()
    cluster = Cluster(options.binary, nodes=options.nodes)
    try:
        cluster.start()
        gang = cluster.cli.start("--nodes", str(options.nodes), "--gpus", "1", command=["sleep", "100000"])
        eventually(lambda: cluster.cli.job(gang)["detail"] == "RUNNING", "the gang runs")
        measured = (keep_busy if options.load_minutes else stop_again_and_again)(cluster, options)
        cluster.await_gpus()
        seen = cluster.cli.job(gang)
        print(json.dumps({"agents": options.nodes} | measured | {
            "joined_again": count(cluster, "lost:"), "gang": seen["detail"], "attempt": seen["attempt"],
            "lost_nodes": sum(node["state"] == "LOST" for node in cluster.cli.cluster()["nodes"])}))
        cluster.settle()
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
