#!/usr/bin/python3
"""What a take-over does to many agents and their gangs: make bench-take-over-agents.

Three controllers, an etcd of three members and played agents on one machine.  Gangs that stop when their lease is lost run on
all nodes; the leader is killed.  Measured are the time from the end of the first connection until all agents have joined the
next leader, the gangs that were disturbed, and, before that, what it costs the leader to serve the agents.

  take_over_agents.py --binary FILE [--agents 1000] [--times 1] [--steady]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "integration")]

from live_platform.controllers import Controllers  # noqa: E402
from live_platform.waiting import eventually  # noqa: E402
from process_use import cpu_seconds, memory_mib, status  # noqa: E402

GANG = 8  # nodes
STEADY_S = 20
AFTERWARDS_S = 25  # more than a lease time and the time that leases take to end


def nodes_up(cluster):
    return sum(node["state"] == "UP" for node in cluster.cli.json("nodes", "list")["nodes"])


def running(cluster):
    """The gangs that run in their first attempt."""
    return sum(job["detail"] == "RUNNING" and job["attempt"] == 1 for job in cluster.cli.jobs())


def measure(binary, agents, is_steady):
    cluster = Controllers(binary, nodes=0, members=3)
    try:
        cluster.start()
        token = pathlib.Path(f"{cluster.state}/join-token").read_text(encoding="utf-8").strip()
        everywhere = ",".join(f"unix:{run}/control.sock" for _, run in cluster.places.values())
        player = os.path.join(os.path.dirname(binary), "gpu-platform-experiments")
        players = subprocess.Popen(
            [player, "agents", "--controller", everywhere, "--join-token", token, "--agents", str(agents), "--jobs-last", "86400",
             "--seconds", str(STEADY_S + AFTERWARDS_S + 30), "--output", "json"], stdout=subprocess.PIPE, text=True)
        leader = cluster.controller
        eventually(lambda: nodes_up(cluster) == agents, lambda: f"{nodes_up(cluster)} of {agents} agents have joined", timeout=180)
        gangs = agents // GANG
        cluster.cli.start("--nodes", str(GANG), "--gpus", "8", "--on-lease-loss", "stop", "--array", str(gangs), command=["train"])
        eventually(lambda: running(cluster) == gangs, lambda: f"{running(cluster)} of {gangs} gangs run", timeout=120)
        before = cpu_seconds(leader.pid)
        time.sleep(STEADY_S)
        seen = {"agents": agents, "gangs": gangs, "core_percent": round(100 * (cpu_seconds(leader.pid) - before) / STEADY_S, 1),
                "rss_mib": round(memory_mib(leader.pid), 1), "threads": status(leader.pid, "Threads")}
        if not is_steady:
            leader.kill()
            killed = time.monotonic()
            cluster.await_leader(other_than=leader)
            seen["leads_after_s"] = round(time.monotonic() - killed, 2)
            time.sleep(AFTERWARDS_S)
        seen["gangs_undisturbed"] = running(cluster)
        played = json.loads(players.communicate(timeout=120)[0])
        return seen | {key: played[key] for key in ("rejoined_s", "answer_p99_ms", "ended")}
    finally:
        cluster.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--agents", type=int, default=1000)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--steady", action="store_true", help="nothing is killed: how long agents wait for answers")
    options = parser.parse_args()
    for _ in range(options.times):
        print(json.dumps(measure(os.path.abspath(options.binary), options.agents, options.steady)), flush=True)


if __name__ == "__main__":
    main()
