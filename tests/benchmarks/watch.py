#!/usr/bin/python3
"""What `gpu-platform watch` costs: a screen of 120 x 40, 1,000 GPUs of 125 nodes whose readings change, 150 jobs that wait, a look each second.

The nodes are played by one process (gpu-platform-experiments agents).
"""

import argparse
import fcntl
import json
import os
import pty
import struct
import subprocess
import tempfile
import termios
import threading
import time

from agents import Controller, await_agents
from process_use import cpu_seconds

NODES, GPUS, JOBS = 125, 8, 150


def watch(binary, run, seconds):
    """(part of a core, what was drawn) by a screen that nobody touches."""
    pid, screen = pty.fork()
    if pid == 0:
        os.execve(binary, [binary, "watch", "--server", run], {"TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": "/"})
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    drawn = bytearray()

    def read():
        try:
            while piece := os.read(screen, 1 << 16):
                drawn.extend(piece)
        except OSError:
            pass  # it has ended
    threading.Thread(target=read, daemon=True).start()
    time.sleep(5)
    before, size = cpu_seconds(pid), len(drawn)
    time.sleep(seconds)
    used = cpu_seconds(pid) - before
    os.write(screen, b"q")
    os.waitpid(pid, 0)
    return used / seconds, (len(drawn) - size) / seconds, bytes(drawn)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--binary", required=True)
    arguments.add_argument("--player", required=True, help="gpu-platform-experiments")
    arguments.add_argument("--seconds", type=int, default=60)
    options = arguments.parse_args()
    binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="gp-watch-", dir="/var/tmp") as place:
        controller = Controller(binary, place, tls=False)
        try:
            token = (controller.directory / "state" / "join-token").read_text().strip()
            # No node has the GPUs: the jobs wait.
            job = controller.directory / "job.yaml"
            job.write_text(f"name: waits\nrun: 'true'\nwait_for_nodes: true\narray: {JOBS}\nresources: {{gpus: {2 * GPUS}}}\n")
            controller.ask("jobs", "submit", job)
            players = subprocess.Popen([options.player, "agents", "--controller", controller.address(), "--join-token", token, "--agents", str(NODES),
                                        "--gpus-per-node", str(GPUS), "--seconds", str(options.seconds + 10), "--output", "json"], stdout=subprocess.DEVNULL)
            await_agents(controller, players, NODES)
            part, bytes_per_s, drawn = watch(binary, str(controller.run_dir), options.seconds)
            if players.poll() is not None:
                raise SystemExit("the players ended before the screen did")
            shown = f"{NODES * GPUS:,}".encode() in drawn or str(NODES * GPUS).encode() in drawn
            print(json.dumps({"gpus": NODES * GPUS, "jobs": JOBS, "seconds": options.seconds, "percent_of_a_core": round(100 * part, 2), "bytes_per_s": round(bytes_per_s), "shows_them": shown}))
            players.terminate()
            players.wait()
        finally:
            controller.stop()


if __name__ == "__main__":
    main()
