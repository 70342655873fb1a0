#!/usr/bin/python3
"""Durable submits over gRPC, many at a time: a controller with its journal on a disk, and tests/benchmarks/submits/pipelined.cc.

Usage: pipelined.py --binary gpu-platform --client pipelined [--calls 20000] [--outstanding 256]"""

import argparse
import os
import subprocess

from live_platform import Cluster


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--client", required=True)
    parser.add_argument("--calls", default="20000")
    parser.add_argument("--outstanding", default="256")
    options = parser.parse_args()
    cluster = Cluster(os.path.abspath(options.binary), nodes=0, serve_flags=("--listen", "127.0.0.1:0"))
    try:
        cluster.start()
        port = cluster.grpc_port()
        secret = cluster.cli.json("tokens", "create", "bench")["secret"]
        print(subprocess.run([options.client, f"127.0.0.1:{port}", secret, options.calls, options.outstanding], capture_output=True, text=True, check=True).stdout, end="")
        total = cluster.cli.json("jobs", "list", "--limit", "1")["total"]
        assert total == int(options.calls), f"{total} jobs"
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
