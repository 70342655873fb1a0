#!/usr/bin/python3
"""What it takes to see a list of jobs while 100,000 wait: the command, and a page over HTTP."""

import argparse
import http.client
import json
import os
import statistics
import subprocess
import time

from live_platform import Cluster

ARRAYS, ELEMENTS, LOOKS = 10, 10_000, 50


def timed(look):
    """Median and longest of many looks in milliseconds, and the bytes of the last."""
    spans = []
    for _ in range(LOOKS):
        begin = time.monotonic()
        seen = look()
        spans.append(1000 * (time.monotonic() - begin))
    return {"p50_ms": round(statistics.median(spans), 1), "longest_ms": round(max(spans), 1), "bytes": len(seen)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    cluster = Cluster(binary, nodes=1, serve_flags=("--http", "127.0.0.1:0"))
    try:
        cluster.start()
        for _ in range(ARRAYS):
            cluster.cli.start("--gpus", "9", "--wait-for-nodes", "--array", str(ELEMENTS), command=["true"])
        port = cluster.http_port()
        secret = cluster.cli.json("tokens", "create", "bench")["secret"]
        connection = http.client.HTTPConnection("127.0.0.1", port)

        def page(fields):
            connection.request("GET", "/api/v1/jobs?limit=100" + fields, headers={"Authorization": f"Bearer {secret}"})
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 200, text
            return text

        command = [binary, "--server", cluster.run_directory, "jobs", "list"]
        print(json.dumps({
            "jobs": cluster.cli.json("jobs", "list", "--limit", "1")["total"],
            "command": timed(lambda: subprocess.run(command, capture_output=True, check=True).stdout),
            "page": timed(lambda: page("")),
            "page_of_fields": timed(lambda: page("&fields=jobs.id,jobs.state,jobs.user"))}))
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
