#!/usr/bin/python3
"""What a submit costs when three controllers share their log, against a single controller: make bench-shared-submits.

Both run side by side on this machine, the shared log in an etcd of three members; they take turns, and no node runs the
jobs.  Measured are the mean time until a submit over gRPC is acknowledged, one at a time, and the submits a second with 64 under
way.

  shared_submits.py --binary FILE [--rounds 5]
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "integration")]

from live_platform import Cluster  # noqa: E402
from live_platform.controllers import Controllers  # noqa: E402

ONE_BY_ONE, AT_ONCE, UNDER_WAY = 500, 6000, 64


def measure(cluster, pipelined, token):
    def rate(calls, under_way):
        words = [pipelined, f"127.0.0.1:{cluster.grpc_port()}", token, str(calls), str(under_way)]
        return json.loads(subprocess.run(words, capture_output=True, check=True, text=True).stdout)["submits_per_s"]
    return {"one_by_one_ms": round(1000 / rate(ONE_BY_ONE, 1), 3), "submits_per_s": rate(AT_ONCE, UNDER_WAY)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    pipelined = os.path.join(os.path.dirname(binary), "pipelined")
    clusters = {"single": Cluster(binary, nodes=0, serve_flags=("--listen", "127.0.0.1:0")),
                "shared": Controllers(binary, nodes=0, members=3, serve_flags=("--listen", "127.0.0.1:0"))}
    try:
        for cluster in clusters.values():
            cluster.start()
        tokens = {name: cluster.cli.json("tokens", "create", "bench")["secret"] for name, cluster in clusters.items()}
        rounds = []
        for number in range(options.rounds):
            order = list(clusters) if number % 2 == 0 else list(clusters)[::-1]
            rounds.append({name: measure(clusters[name], pipelined, tokens[name]) for name in order})
        medians = {name: {key: statistics.median(one[name][key] for one in rounds) for key in rounds[0][name]} for name in clusters}
        print(json.dumps({"rounds": rounds, "medians": medians}, indent=2))
    finally:
        for cluster in clusters.values():
            cluster.close()


if __name__ == "__main__":
    main()
