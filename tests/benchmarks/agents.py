#!/usr/bin/python3
"""What it costs a controller to serve many agents: threads, memory, CPU time, the wait for answers, and nodes that count as lost.

The agents are played by one process (gpu-platform-experiments agents), each over a connection of its own; their jobs end at once.
--load submits five jobs a second, follows the events and asks for the status.  --tls encrypts.  --restart kills the controller in
the middle and starts it again: all agents join it.
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from process_use import cpu_seconds, memory_mib, status

JOB = json.dumps({"specs": [{"name": "true", "command": ["true"], "gpus": {"count": 1}}]})


class Controller:
    """A controller in a directory of its own."""

    def __init__(self, binary, directory, tls):
        self.binary, self.directory, self.listen = binary, pathlib.Path(directory), "127.0.0.1:0" if tls else None
        self.run_dir, self.log = self.directory / "run", self.directory / "log"
        self.start()
        if tls:
            self.listen = "127.0.0.1:" + re.search(r"agents at port (\d+)", self.log.read_text()).group(1)

    def start(self):
        tcp = ["--listen", self.listen, "--tls"] if self.listen else []
        self.log.unlink(missing_ok=True)
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([self.binary, "serve", "--no-agent", "--state", self.directory / "state", "--run-dir", self.run_dir, *tcp], stdout=log, stderr=log)
        while "controller runs" not in self.log.read_text():
            if self.process.poll() is not None:
                sys.exit(f"the controller ended: {self.log.read_text()}")
            time.sleep(0.01)

    def address(self):
        return self.listen or f"unix:{self.run_dir}/control.sock"

    def ask(self, *words):
        return subprocess.run([self.binary, *words, "--server", self.run_dir], stdout=subprocess.PIPE, text=True, check=True).stdout

    def kill_and_start(self):
        self.process.kill()
        self.process.wait()
        self.start()

    def stop(self):
        self.process.terminate()
        self.process.wait()


class LocalHttp(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Load:
    """What users do meanwhile, five times a second each."""

    def __init__(self, controller):
        self.controller, self.over = controller, threading.Event()
        self.submit_ms, self.status_ms, self.events, self.failed = [], [], 0, []
        self.threads = [threading.Thread(target=work) for work in (self.submit, self.ask, self.follow)]
        for thread in self.threads:
            thread.start()

    def note(self, work, taken):
        try:
            begun = time.monotonic()
            work()
            taken.append((time.monotonic() - begun) * 1000)
        except (OSError, http.client.HTTPException, subprocess.CalledProcessError) as error:
            self.failed.append(str(error))

    def request(self, method, path, body=None):
        connection = LocalHttp(self.controller.run_dir / "http.sock")
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        if answer.status >= 300:
            raise OSError(f"{method} {path}: {answer.status}")

    def submit(self):
        while not self.over.wait(0.2):
            self.note(lambda: self.request("POST", "/api/v1/jobs", JOB), self.submit_ms)

    def ask(self):
        while not self.over.wait(0.2):
            self.note(lambda: self.controller.ask("status"), self.status_ms)

    def follow(self):
        connection = LocalHttp(self.controller.run_dir / "http.sock")
        connection.request("GET", "/api/v1/events")
        answer = connection.getresponse()
        while not self.over.is_set():
            self.events += answer.fp.readline().startswith(b"event: ")

    def result(self):
        self.over.set()
        for thread in self.threads:
            thread.join()
        return {"submits": len(self.submit_ms), "submit_p50_ms": round(statistics.median(self.submit_ms), 1), "submit_max_ms": round(max(self.submit_ms), 1),
                "status_p50_ms": round(statistics.median(self.status_ms), 1), "status_max_ms": round(max(self.status_ms), 1), "events": self.events, "calls_failed": len(self.failed)}


def await_agents(controller, players, count):
    """Until all are connected: with TLS, each gets its certificate first."""
    while players.poll() is None and len(os.listdir(f"/proc/{controller.process.pid}/fd")) < count:
        time.sleep(0.05)


def measure(controller, players, options):
    """The highest numbers of threads and MiB, the part of a core in the second half, and what a restart costs."""
    threads = memory = share = 0
    begun, restarted, uses = None, None, []
    since = time.monotonic()
    while players.poll() is None:
        pid = controller.process.pid
        threads, memory = max(threads, status(pid, "Threads")), max(memory, memory_mib(pid))
        if begun is None and time.monotonic() - since > options.seconds / 2:
            if options.restart and restarted is None:
                restarted = time.monotonic()
                controller.kill_and_start()
                uses.append((time.monotonic() - restarted, cpu_seconds(controller.process.pid)))
                since = time.monotonic() - options.seconds / 2 + 2
                continue
            begun = (time.monotonic(), cpu_seconds(pid))
        if restarted:
            uses.append((time.monotonic() - restarted, cpu_seconds(pid)))
        if begun:
            share = (cpu_seconds(pid) - begun[1]) / max(time.monotonic() - begun[0], 0.001)
        time.sleep(0.05 if restarted and not begun else 0.2)
    return {"threads": threads, "rss_mib": round(memory, 1), "core_percent": round(100 * share, 1)}, uses


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="gpu-platform")
    parser.add_argument("--player", help="gpu-platform-experiments; default: beside the binary")
    parser.add_argument("--agents", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--restart", action="store_true")
    options = parser.parse_args()
    player = options.player or os.path.join(os.path.dirname(os.path.abspath(options.binary)), "gpu-platform-experiments")
    with tempfile.TemporaryDirectory(prefix="gpu-platform-agents-") as name:
        controller = Controller(options.binary, name, options.tls)
        try:
            token = (controller.directory / "state" / "join-token").read_text().strip()
            authority = ["--authority", controller.directory / "state" / "authority.pem"] if options.tls else []
            players = subprocess.Popen(
                [player, "agents", "--controller", controller.address(), "--join-token", token, *authority,
                 "--agents", str(options.agents), "--seconds", str(options.seconds), "--output", "json"], stdout=subprocess.PIPE, text=True)
            await_agents(controller, players, options.agents)
            load = Load(controller) if options.load else None
            of_controller, uses = measure(controller, players, options)
            if players.returncode != 0:
                sys.exit(f"the players failed with exit code {players.returncode}")
            played = json.loads(players.stdout.read())
            if uses:
                until = [cpu for at, cpu in uses if at <= played["rejoined_s"] + 0.1][-1]
                of_controller["cpu_ms_per_resume"] = round(1000 * (until - uses[0][1]) / options.agents, 3)
            # At once: the nodes are silent from now on.
            nodes = json.loads(controller.ask("nodes", "list", "--output", "json"))
            rows = nodes if isinstance(nodes, list) else nodes["nodes"]
            of_controller["nodes_not_up"] = sum(row["state"] != "UP" for row in rows)
            if load:
                of_controller |= load.result()
            print(json.dumps(played | of_controller))
        finally:
            controller.stop()


if __name__ == "__main__":
    main()
