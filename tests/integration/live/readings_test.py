#!/usr/bin/python3
"""Every GPU's own readings, on every surface, whichever node joined first.

Five agents join in an order that is not that of their names, and each of their 40 GPUs has a temperature that no other
has: a surface that looks a GPU up by its place in some list shows another one's.

GP_WEB_TOOLS: where npm has put the browser's driver (build/release/web/tools)."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import live_platform.case
from live_platform import Cluster, ClusterTest, UnixConnection, eventually, main
from live_platform.grpc_line import GrpcLine, load_service

JOIN_ORDER = (3, 0, 4, 1, 2)
GPUS = 8
COLDEST = 31
TOOLS = pathlib.Path(os.environ.get("GP_WEB_TOOLS", ""))
TESTS = pathlib.Path(__file__).resolve().parents[3] / "web/tests"

CELSIUS = {(f"dgx-h100-{k}", gpu): COLDEST + GPUS * k + gpu for k in range(len(JOIN_ORDER)) for gpu in range(GPUS)}


def by_gpu(pattern, text):
    """{(node, GPU): celsius} of all places where the pattern's three groups are found."""
    return {(node, int(gpu)): int(celsius) for node, gpu, celsius in re.findall(pattern, text)}


class Readings(ClusterTest):
    options = {"nodes": len(JOIN_ORDER), "serve_flags": ("--http", "127.0.0.1:0", "--listen", "127.0.0.1:0")}

    def setUp(self):
        self.cluster = Cluster(live_platform.case.binary, **self.options)
        self.addCleanup(self.cluster.close)
        self.cli = self.cluster.cli
        self.cluster.start_controller()
        for k in JOIN_ORDER:
            self.cluster.agents[k].start()
            eventually(lambda: f"dgx-h100-{k}" in self.cluster.node_names(), "it has joined")
        self.cluster.await_gpus()
        for (node, gpu), celsius in CELSIUS.items():
            with open(os.path.join(self.cluster.agent_state(int(node[-1])), "faults"), "a", encoding="utf-8") as control:
                control.write(f"temperature gpu={gpu} celsius={celsius}\n")
        eventually(lambda: self.of_cluster(self.cli.cluster()) == CELSIUS, lambda: str(self.of_cluster(self.cli.cluster())))

    @staticmethod
    def of_cluster(cluster):
        return {(node["name"], gpu["index"]): gpu.get("readings", {}).get("temperature_celsius")
                for node in cluster["nodes"] for gpu in node["gpus"]}

    def test_each_gpu_has_its_own_on_every_surface(self):
        for surface in (self.of_json, self.of_text, self.of_rest, self.of_grpc, self.of_metrics, self.of_watch, self.of_dashboard):
            with self.subTest(surface.__name__):
                self.assertEqual(surface(), CELSIUS)

    def test_they_name_their_gpu(self):
        for node, gpu in self.cli.gpus():
            self.assertEqual(gpu["readings"]["uuid"], gpu["uuid"], node["name"])
        self.assertEqual(len({gpu["uuid"] for _, gpu in self.cli.gpus()}), len(CELSIUS))

    def of_json(self):
        return self.of_cluster(self.cli.cluster())

    def of_text(self):
        seen, node = {}, ""
        for line in self.cli("status", "--all").ok().out.splitlines():
            if line.startswith("dgx-h100-"):
                node = line.split()[0]
            elif gpu := re.search(r"─(\d+) GPU-.* (\d+)°", line):
                seen[node, int(gpu.group(1))] = int(gpu.group(2))
        return seen

    def of_rest(self):
        line = UnixConnection(f"{self.cluster.run_directory}/http.sock")
        line.request("GET", "/api/v1/cluster?readings=true")
        cluster = json.loads(line.getresponse().read())
        line.close()
        return self.of_cluster(cluster)

    def of_grpc(self):
        port = self.cluster.grpc_port()
        secret = self.cli.json("tokens", "create", "reader", "--role", "viewer")["secret"]
        line = GrpcLine(load_service(), f"127.0.0.1:{port}", secret)
        code, words, cluster = line.call("GetCluster", line.message("GetCluster", {"readings": True}))
        line.close()
        self.assertEqual((code, words), ("", ""))
        return {(node.name, gpu.index): gpu.readings.temperature_celsius for node in cluster.nodes for gpu in node.gpus}

    def of_metrics(self):
        return by_gpu(r'(?m)^gpu_platform_gpu_temperature_celsius\{(?=[^}]*node="(\S+?)")(?=[^}]*gpu="(\d+)")[^}]*\} (\d+)$', self.cli("metrics").ok().out)

    def of_watch(self):
        return by_gpu(r"(?m)^(\S+)/(\d+) +\w+ +\d+ +\w+ +(\d+) ", self.cli("watch", "--once").ok().out)

    def of_dashboard(self):
        script = shutil.copytree(TESTS, TOOLS / "tests", dirs_exist_ok=True) / "heat.mjs"  # beside the modules that it names
        link = self.cli("-q", "dashboard").ok().out.strip()
        done = subprocess.run(["node", script, link, str(len(CELSIUS))], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return by_gpu(r"GPU (?=\d+ of (\S+):)(\d+) of \S+: .*, temperature (\d+)°", done.stdout)


if __name__ == "__main__":
    if not (TOOLS / "node_modules/playwright-core").is_dir():
        sys.stderr.write("SKIPPED: no browser: missing the modules that npm fetches\n")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    main()
