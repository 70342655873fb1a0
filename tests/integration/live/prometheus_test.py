#!/usr/bin/python3
"""A real Prometheus scrapes the controller, by a token, and evaluates the alerts that the project ships."""

import json
import os
import re
import socket
import subprocess
import tempfile
import urllib.parse
import urllib.request

from live_platform import ClusterTest, eventually, main

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Prometheus(ClusterTest):
    options = {"serve_flags": ("--http", "127.0.0.1:0"), "machine": "dgx-h100", "nodes": 1}

    def setUp(self):
        super().setUp()
        controller = self.cluster.http_port()
        secret = self.cli.json("tokens", "create", "prometheus", "--role", "viewer")["secret"]
        place = tempfile.TemporaryDirectory(prefix="prometheus-")
        self.addCleanup(place.cleanup)
        with open(os.open(f"{place.name}/token", os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(secret)
        scrape = {"scrape_interval": "1s", "authorization": {"credentials_file": f"{place.name}/token"}, "static_configs": [{"targets": [f"127.0.0.1:{controller}"]}]}
        settings = {"global": {"evaluation_interval": "1s"}, "rule_files": [f"{SOURCE}/deploy/prometheus/alerts.yaml"],
                    "scrape_configs": [{"job_name": "gpu-platform", **scrape}, {"job_name": "dcgm", "params": {"names": ["dcgm"]}, **scrape}]}
        with open(f"{place.name}/prometheus.yml", "w") as file:
            json.dump(settings, file)
        self.port = free_port()
        log = open(f"{place.name}/log", "w+")
        self.addCleanup(log.close)
        self.server = subprocess.Popen(["prometheus", f"--config.file={place.name}/prometheus.yml", f"--storage.tsdb.path={place.name}/data",
                                        f"--web.listen-address=127.0.0.1:{self.port}"], stdout=log, stderr=log)
        self.addCleanup(self.end)
        eventually(self.is_ready, "Prometheus is ready")

    def end(self):
        self.server.terminate()
        self.server.wait()

    def ask(self, path, **query):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}?{urllib.parse.urlencode(query)}", timeout=10) as answer:
            return json.load(answer)["data"]

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=1) as answer:
                return answer.status == 200
        except OSError:
            return False

    def query(self, expression):
        return self.ask("/api/v1/query", query=expression)["result"]

    def value(self, expression):
        found = self.query(expression)
        return float(found[0]["value"][1]) if found else None

    def test_it_scrapes_and_judges(self):
        eventually(lambda: self.value('up{job="gpu-platform"}') == 1 and self.value('up{job="dcgm"}') == 1, "both are scraped")
        self.assertEqual(self.value("sum(gpu_platform_gpu_info)"), 8)
        self.assertEqual(self.value("count(DCGM_FI_DEV_GPU_TEMP)"), 8)
        self.assertEqual(self.query("DCGM_FI_DEV_GPU_TEMP")[0]["metric"]["Hostname"], "dgx-h100-0")
        job = self.cli.start("--gpus", "2", command=["sleep", "1000"])
        eventually(lambda: self.value("sum(gpu_platform_gpu_share_granted_ratio)") == 2, "the granted share is published")
        eventually(lambda: self.value('gpu_platform_queue_jobs_running{queue="default"}') == 1, "the queue too")
        self.cli("jobs", "kill", job).ok()
        eventually(lambda: self.value("sum(gpu_platform_gpu_share_granted_ratio)") == 0, "and what is not any more")
        series = self.value('scrape_samples_scraped{job="gpu-platform"}')
        for _ in range(20):
            self.cli.wait(self.cli.start("--gpus", "1", command=["true"]))
        eventually(lambda: (self.value("sum(gpu_platform_job_ends_total)") or 0) >= 21, "ends are counted")
        self.assertLessEqual(self.value('scrape_samples_scraped{job="gpu-platform"}'), series + 20, "finished jobs leave no series")
        (group,) = self.ask("/api/v1/rules")["groups"]
        broken = [rule for rule in group["rules"] if rule["health"] == "err"]
        self.assertEqual((len(group["rules"]) >= 12, broken), (True, []))
        self.assertEqual([alert for alert in self.ask("/api/v1/alerts")["alerts"] if alert["state"] == "firing"], [])

    def test_every_panel_of_grafana_has_data(self):
        subprocess.run(["/usr/bin/python3", f"{SOURCE}/tools/make_grafana.py", "--check"], check=True)
        self.cli.wait(self.cli.start("--gpus", "1", command=["true"]))
        eventually(lambda: self.value("sum(gpu_platform_job_ends_total)") is not None and self.value("avg(gpu_platform_gpu_busy_ratio)") is not None, "it is scraped")
        with open(f"{SOURCE}/docs/reference/metrics.md") as text:
            known = set(re.findall(r"gpu_platform_\w+", text.read()))
        panels = 0
        for file in sorted(os.listdir(f"{SOURCE}/deploy/grafana")):
            if not file.endswith(".json"):
                continue
            with open(f"{SOURCE}/deploy/grafana/{file}") as text:
                dashboard = json.load(text)
            for panel in dashboard["panels"]:
                panels += 1
                for target in panel["targets"]:
                    with self.subTest(f"{file}: {panel['title']}"):
                        self.assertLessEqual(set(re.findall(r"gpu_platform_\w+", target["expr"])), known)
                        eventually(lambda: self.query(target["expr"].replace("$node", ".*")) != [], target["expr"])
        self.assertGreaterEqual(panels, 30)

    def test_an_alert_fires(self):
        eventually(lambda: self.value('up{job="gpu-platform"}') == 1, "it is scraped")
        with open(f"{self.cluster.agent_state(0)}/faults", "a") as file:
            file.write("remap gpu=3 failed=yes\n")

        def firing():
            return {(alert["labels"]["alertname"], alert["labels"].get("gpu")) for alert in self.ask("/api/v1/alerts")["alerts"] if alert["state"] == "firing"}

        eventually(lambda: ("GpuRowRemapFailed", "3") in firing(), "a person hears of it")


if __name__ == "__main__":
    main()
