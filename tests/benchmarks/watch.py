#!/usr/bin/python3
"""What `gpu-platform watch` costs: a screen of 120 x 40, 1,000 GPUs of 125 nodes whose readings change, a look each second.

The nodes are played by one process that speaks as agents do: they hold leases, and run nothing.
"""

import argparse
import fcntl
import itertools
import json
import os
import pty
import random
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

import grpc

from process_use import cpu_seconds

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NODES, GPUS, JOBS = 125, 8, 150
REPORT_EVERY_S = 2.0


def load_messages():
    made = tempfile.mkdtemp(prefix="gp-proto-")
    proto = os.path.join(ROOT, "proto")
    files = [os.path.relpath(os.path.join(place, name), proto) for place, _, names in os.walk(proto) for name in names if name.endswith(".proto")]
    subprocess.run(["protoc", f"-I{proto}", f"--python_out={made}", *sorted(files)], check=True)
    sys.path.insert(0, made)
    from gpu_platform.v1 import node_pb2  # pylint: disable=import-outside-toplevel
    return node_pb2


class Node:
    """One agent: joins, and tells every two seconds how its GPUs are and that what it was ordered to hold runs."""

    def __init__(self, messages, channel, token, number):
        self.messages, self.number = messages, number
        self.random = random.Random(number)
        self.leases, self.lineage, self.ended = set(), 0, threading.Event()
        exchange = channel.stream_stream("/gpu_platform.v1.NodeLink/Exchange", messages.AgentMessage.SerializeToString, messages.ControllerMessage.FromString)
        self.answers = exchange(self.said(), metadata=(("gp-join-token", token),))
        threading.Thread(target=self.hear, daemon=True).start()

    def said(self):
        numbers = itertools.count(1)
        facts = self.messages.NodeFacts(name=f"n{self.number:03}", simulated=True, driver_version="550.54.15", links=bytes([0] * GPUS * GPUS))
        for numa in range(2):
            facts.numa.add(os_id=numa, package=numa, cpus=f"{48 * numa}-{48 * numa + 47}", memory_mib=1 << 20)
        for gpu in range(GPUS):
            facts.gpus.add(uuid=f"GPU-{self.number:08x}-0000-4000-8000-{gpu:012x}", model="NVIDIA H100 80GB HBM3", pci_bus_id=f"00000000:{gpu:02X}:00.0", minor=gpu, numa=gpu // 4, memory_mib=81559)
        yield self.messages.AgentMessage(number=next(numbers), join=self.messages.Join(facts=facts, incarnation=1, fresh=True))
        self.ended.wait(self.random.random() * REPORT_EVERY_S)
        while not self.ended.is_set():
            report = self.messages.Report()
            for lease in list(self.leases):
                report.leases.add(lease=lease, running=True, started_at_ns=time.time_ns())
            for gpu in range(GPUS):
                report.gpus.add(gpu=gpu, healthy=True)
                report.readings.add(temperature_celsius=self.random.randint(30, 70), power_watts=self.random.randint(70, 700), utilization_percent=self.random.randint(0, 100),
                                    memory_used_bytes=self.random.randint(0, 80 << 30), power_limit_watts=700)
            yield self.messages.AgentMessage(number=next(numbers), report=report)
            self.ended.wait(REPORT_EVERY_S)

    def hear(self):
        try:
            for answer in self.answers:
                if answer.HasField("orders"):
                    self.leases = {lease.lease for lease in answer.orders.leases}
        except grpc.RpcError:
            pass  # the controller has ended


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
    arguments.add_argument("--seconds", type=int, default=60)
    options = arguments.parse_args()
    binary = os.path.abspath(options.binary)
    messages = load_messages()
    with tempfile.TemporaryDirectory(prefix="gp-watch-", dir="/var/tmp") as place:
        run = os.path.join(place, "run")
        controller = subprocess.Popen([binary, "-q", "serve", "--no-agent", "--state", os.path.join(place, "state"), "--run-dir", run])
        nodes = []
        try:
            while subprocess.run([binary, "status", "--server", run], capture_output=True).returncode != 0:
                time.sleep(0.1)
            with open(os.path.join(place, "state", "join-token"), encoding="ascii") as file:
                token = file.read().strip()
            channel = grpc.insecure_channel(f"unix:{run}/control.sock")
            nodes = [Node(messages, channel, token, number) for number in range(NODES)]
            command = [binary, "-q", "run", "-d", "--server", run]
            subprocess.run([*command, "--array", str(JOBS), "--gpus", "4", "--", "true"], check=True, stdout=subprocess.DEVNULL)

            def running():
                told = json.loads(subprocess.run([binary, "status", "--server", run, "-o", "json"], check=True, capture_output=True).stdout)
                return int(told.get("jobs_running", 0))
            while running() < JOBS:
                time.sleep(0.5)
            part, bytes_per_s, drawn = watch(binary, run, options.seconds)
            shown = b"n124" in drawn or b"1000" in drawn or b"1,000" in drawn
            print(json.dumps({"gpus": NODES * GPUS, "jobs": JOBS, "seconds": options.seconds, "percent_of_a_core": round(100 * part, 2), "bytes_per_s": round(bytes_per_s), "shows_them": shown}))
        finally:
            for node in nodes:
                node.ended.set()
            controller.terminate()
            controller.wait()


if __name__ == "__main__":
    main()
