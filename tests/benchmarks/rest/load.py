#!/usr/bin/python3
"""A thousand pages that watch, and 200 requests a second beside them: how long an answer takes, and what it costs in memory.

Followers are a process of their own; every tenth request submits a job, so that each of them hears of its changes.
load.py --binary FILE [--followers N] [--rate N] [--seconds N]"""

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import statistics
import sys
import time

from live_platform import Cluster
from process_use import memory_mib

BODY = json.dumps({"specs": [{"name": "true", "command": ["true"], "gpus": {"count": 1}}]})
SUBMIT = f"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n{BODY}".encode()
ASK = [f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for path in ("/api/v1/jobs?limit=20", "/api/v1/queues", "/api/v1/self", "/api/v1/cluster", "/api/v1/incidents")]


class Follower(asyncio.Protocol):
    """Counts what comes."""

    bytes = events = open = 0

    def connection_made(self, transport):
        transport.write(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")

    def data_received(self, data):
        Follower.bytes += len(data)
        Follower.events += data.count(b"\nevent: ")

    def connection_lost(self, _):
        Follower.open -= 1


def follow(socket, count, ready, told):
    async def run():
        loop = asyncio.get_running_loop()
        for _ in range(count):
            await loop.create_unix_connection(Follower, socket)
            Follower.open += 1
        ready.set()
        while not told.is_set():
            await asyncio.sleep(0.1)
        await asyncio.sleep(1)

    asyncio.run(run())
    print(json.dumps({"followers_open_at_the_end": Follower.open, "events_followed": Follower.events, "bytes_followed": Follower.bytes}), flush=True)


async def answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    await reader.readexactly(length)
    return int(head[9:12])


async def ask(socket, rate, seconds):
    """Open loop: each request has its time, however long others take."""
    lines = asyncio.Queue()
    for _ in range(64):
        lines.put_nowait(await asyncio.open_unix_connection(socket))
    took, statuses = [], {}

    async def one(number, at):
        reader, writer = await lines.get()
        writer.write(SUBMIT if number % 10 == 0 else ASK[number % len(ASK)])
        status = await answer(reader)
        took.append((time.monotonic() - at) * 1000)
        statuses[status] = statuses.get(status, 0) + 1
        lines.put_nowait((reader, writer))

    begin, tasks = time.monotonic(), []
    for number in range(rate * seconds):
        at = begin + number / rate
        await asyncio.sleep(max(at - time.monotonic(), 0))
        tasks.append(asyncio.create_task(one(number, at)))
    await asyncio.gather(*tasks)
    return took, statuses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--followers", type=int, default=1000)
    parser.add_argument("--rate", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=30)
    flags = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    cluster = Cluster(os.path.abspath(flags.binary), nodes=1)
    try:
        cluster.start()
        socket = f"{cluster.run_directory}/http.sock"
        asyncio.run(ask(socket, flags.rate, 5))  # what every controller needs, before it is weighed
        before = memory_mib(cluster.controller.pid)
        ready, told = multiprocessing.Event(), multiprocessing.Event()
        followers = multiprocessing.Process(target=follow, args=(socket, flags.followers, ready, told))
        followers.start()
        ready.wait()
        followed = memory_mib(cluster.controller.pid)
        took, statuses = asyncio.run(ask(socket, flags.rate, flags.seconds))
        after = memory_mib(cluster.controller.pid)
        told.set()
        followers.join()
        took.sort()
        print(json.dumps({"requests": len(took), "statuses": statuses, "p50_ms": statistics.median(took), "p99_ms": took[len(took) * 99 // 100], "longest_ms": took[-1],
                          "memory_mib": {"before": before, "with_followers": followed, "after": after}}))
        cluster.settle()
    finally:
        cluster.close()
    return 0 if set(statuses) <= {200, 201} else 1


if __name__ == "__main__":
    sys.exit(main())
