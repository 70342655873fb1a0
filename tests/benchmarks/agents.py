#!/usr/bin/python3
"""What it costs a controller to serve many agents: threads, memory, CPU time and the wait for answers.

The agents are played by one process (gpu-platform-experiments agents), each over a connection of its own.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from process_use import cpu_seconds, memory_mib, status


def await_socket(path):
    while not path.exists():
        time.sleep(0.01)


def measure(controller, players, idle_after_s):
    """The highest numbers of threads and MiB, and the part of a core once all agents only report."""
    threads = memory = share = 0
    begun = None
    since = time.monotonic()
    while players.poll() is None:
        threads = max(threads, status(controller, "Threads"))
        memory = max(memory, memory_mib(controller))
        if begun is None and time.monotonic() - since > idle_after_s:
            begun = (time.monotonic(), cpu_seconds(controller))
        if begun:
            share = (cpu_seconds(controller) - begun[1]) / max(time.monotonic() - begun[0], 0.001)
        time.sleep(0.2)
    return {"threads": threads, "rss_mib": round(memory, 1), "core_percent": round(100 * share, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="gpu-platform")
    parser.add_argument("--player", help="gpu-platform-experiments; default: beside the binary")
    parser.add_argument("--agents", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    player = options.player or os.path.join(os.path.dirname(os.path.abspath(options.binary)), "gpu-platform-experiments")
    with tempfile.TemporaryDirectory(prefix="gpu-platform-agents-") as name:
        directory = pathlib.Path(name)
        with open(directory / "log", "w") as log:
            serve = subprocess.Popen([options.binary, "serve", "-q", "--no-agent", "--state", directory / "state", "--run-dir", directory / "run"], stdout=log, stderr=log)
        try:
            await_socket(directory / "run" / "control.sock")
            token = (directory / "state" / "join-token").read_text().strip()
            players = subprocess.Popen(
                [player, "agents", "--controller", f"unix:{directory}/run/control.sock", "--join-token", token,
                 "--agents", str(options.agents), "--seconds", str(options.seconds), "--output", "json"], stdout=subprocess.PIPE, text=True)
            of_controller = measure(serve.pid, players, idle_after_s=options.seconds / 2)
            if players.returncode != 0:
                sys.exit(f"the players failed with exit code {players.returncode}")
            played = json.loads(players.stdout.read())
            print(json.dumps(played | of_controller))
        finally:
            serve.terminate()
            serve.wait()


if __name__ == "__main__":
    main()
