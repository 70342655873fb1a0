#!/usr/bin/python3
"""From a GPU's fatal error to its quarantine, and to the job running again elsewhere; from the loss of a node to the
latter: real processes, the driver simulated.

A program marks the moment of each of its starts; the error is a line in the simulated driver's control file; the
times of quarantine and of the orders are the controller's own, from the journal's clock.  A node is lost by killing all
that runs for it at once: agent, supervisor, job.
"""

import argparse
import json
import os
import signal
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

from live_platform import Cluster, eventually, ledger  # noqa: E402

PROGRAM = "date +%s.%N > $0/start-$GP_ATTEMPT.new; mv $0/start-$GP_ATTEMPT.new $0/start-$GP_ATTEMPT; exec sleep 1000"


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share / 100))]


def start(cluster, name, *flags):
    """A job that runs, where it leaves its marks, and its node and GPU."""
    here = os.path.join(cluster.shared, name)
    os.mkdir(here)
    os.chmod(here, 0o777)
    cli = cluster.cli
    job = cli.start("--gpus", "1", *flags, command=["sh", "-c", PROGRAM, here])
    eventually(lambda: os.path.exists(f"{here}/start-1"), "the job runs")
    eventually(lambda: cli.job(job)["detail"] == "RUNNING", "the controller knows it")
    rank = cli.job(job)["attempts"][-1]["ranks"][0]
    return job, here, rank["node"], rank["gpus"][0]


def second_start(cluster, job, here):
    eventually(lambda: os.path.exists(f"{here}/start-2"),
               lambda: f"the job runs again\n{cluster.cli('jobs', 'describe', job).out}{cluster.cli('incidents', 'list', '--all').out}"
                       f"{cluster.cli('status', '--all').out}{cluster.logs()}",
               interval=0.001)
    with open(f"{here}/start-2") as mark:
        return float(mark.read())


def end(cluster, job):
    cli = cluster.cli
    eventually(lambda: cli.job(job)["detail"] == "RUNNING", "the controller knows it")
    cli("jobs", "kill", job).ok()
    eventually(lambda: not cli.jobs(), "it ends")
    eventually(lambda: all(g["detail"] == "AVAILABLE" for n in cli.cluster()["nodes"] for g in n["gpus"]), "all GPUs are in service")


def measure_loss(cluster, number):
    job, here, node, _ = start(cluster, f"loss-{number}", "--on-lease-loss", "stop")
    agent = cluster.agent_of(node)
    pids = [pid for found in [*ledger.supervisors(cluster.sandbox).values(), *cluster.sandbox.leases().values()] for pid in found]
    at = time.time()
    agent.kill()
    for pid in set(pids):
        os.kill(pid, signal.SIGKILL)
    again_at = second_start(cluster, job, here)
    agent.start()
    end(cluster, job)
    return again_at - at


def measure(cluster, code, number):
    cli = cluster.cli
    job, here, node, index = start(cluster, f"job-{number}")
    at = time.time()
    with open(os.path.join(cluster.agent_state(int(node.rsplit("-", 1)[1])), "faults"), "a") as control:
        control.write(f"xid gpu={index} code={code}\n")

    def quarantined():
        # The agent that hosts it saw the error, the controller took the GPU out: seen at its own interface.
        gpus = [g for n in cli.cluster()["nodes"] if n["name"] == node for g in n["gpus"] if g["index"] == index]
        return gpus[0]["detail"] not in ("AVAILABLE",) and time.time()
    out_at = eventually(quarantined, "the GPU is taken out", interval=0.001)
    again_at = second_start(cluster, job, here)
    end(cluster, job)
    return out_at - at, again_at - at


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--code", type=int, default=95)
    parser.add_argument("--losses", type=int, default=10)
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("recovery.py needs root: it starts agents that isolate")
    policy = "resets_per_day: 1000\nbreaker_percent: 100\n"  # what it measures is not to be stopped by them
    cluster = Cluster(arguments.binary, nodes=2, policy=policy)
    try:
        cluster.start()
        times = [measure(cluster, arguments.code, number) for number in range(arguments.faults)]
        losses = [measure_loss(cluster, number) for number in range(arguments.losses)]
    finally:
        cluster.close()
    figures = {}
    for name, values in (("fault_to_quarantined_s", [t[0] for t in times]), ("fault_to_running_again_s", [t[1] for t in times]),
                         ("lost_node_to_running_again_s", losses)):
        if not values:
            continue
        figures[name] = {"p50": round(statistics.median(values), 3), "p99": round(percentile(values, 99), 3), "max": round(max(values), 3)}
    print(json.dumps({"faults": arguments.faults, "code": arguments.code, "losses": arguments.losses, **figures}, indent=2))


if __name__ == "__main__":
    main()
