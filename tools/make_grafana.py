#!/usr/bin/env python3
"""Writes the Grafana dashboards of deploy/grafana: make_grafana.py [--check]

A dashboard is a list of panels here: (title, unit, [(expression, legend)]); Grafana's own format takes 30 lines per panel.
`--check` names the files that differ from the generator's output, and writes none."""

import argparse
import json
import pathlib
import sys

PLACE = pathlib.Path(__file__).resolve().parents[1] / "deploy/grafana"
NODE = 'node=~"$node"'

DASHBOARDS = {
    "fleet": ("GPU platform: fleet", [
        ("GPUs", "none", [("sum(gpu_platform_gpus)", "all"), ("sum(gpu_platform_gpus_free) or vector(0)", "free")]),
        ("GPUs out of service", "none", [('sum(gpu_platform_gpus{condition!="AVAILABLE"}) or vector(0)', "not available"), ('sum(gpu_platform_gpus{draining="true"}) or vector(0)', "draining")]),
        ("Nodes", "none", [("sum by (condition) (gpu_platform_nodes)", "{{condition}}")]),
        ("GPU utilization", "percentunit", [("avg(gpu_platform_gpu_share_granted_ratio)", "granted"), ("avg(gpu_platform_gpu_busy_ratio)", "busy"),
                                           ("sum(gpu_platform_gpu_memory_used_bytes) / sum(gpu_platform_gpu_memory_bytes)", "memory")]),
        ("GPUs by condition", "none", [("sum by (pool, condition) (gpu_platform_gpus)", "{{pool}} {{condition}}")]),
        ("Stranded GPUs", "none", [("sum by (pool) (gpu_platform_gpus_stranded) or vector(0)", "{{pool}}")]),
        ("Granted but idle GPUs", "none", [("count(gpu_platform_gpu_share_granted_ratio > 0 and gpu_platform_gpu_busy_ratio < 0.05) or vector(0)", "GPUs")]),
        ("Power", "watt", [("sum by (node) (gpu_platform_gpu_power_watts)", "{{node}}")]),
    ]),
    "gpu": ("GPU platform: GPUs of a node", [
        ("Granted", "percentunit", [(f"gpu_platform_gpu_share_granted_ratio{{{NODE}}}", "{{node}}/{{gpu}}")]),
        ("Busy", "percentunit", [(f"gpu_platform_gpu_busy_ratio{{{NODE}}}", "{{node}}/{{gpu}}")]),
        ("Memory used", "bytes", [(f"gpu_platform_gpu_memory_used_bytes{{{NODE}}}", "{{node}}/{{gpu}}")]),
        ("Memory granted", "bytes", [(f"gpu_platform_gpu_memory_granted_bytes{{{NODE}}}", "{{node}}/{{gpu}}")]),
        ("Temperature", "celsius", [(f"gpu_platform_gpu_temperature_celsius{{{NODE}}}", "{{node}}/{{gpu}}")]),
        ("Power", "watt", [(f"gpu_platform_gpu_power_watts{{{NODE}}}", "{{node}}/{{gpu}}"), (f"max(gpu_platform_gpu_power_limit_watts{{{NODE}}})", "limit")]),
        ("Memory errors per hour", "none", [(f"increase(gpu_platform_gpu_ecc_errors_total{{{NODE}}}[1h])", "{{node}}/{{gpu}} {{kind}}")]),
        ("NVLinks down", "none", [(f'gpu_platform_gpu_nvlinks{{{NODE},state="all"}} - ignoring(state) gpu_platform_gpu_nvlinks{{{NODE},state="active"}}', "{{node}}/{{gpu}}")]),
    ]),
    "jobs": ("GPU platform: jobs and queues", [
        ("Pending jobs", "none", [("sum by (queue) (gpu_platform_queue_jobs_waiting)", "{{queue}}")]),
        ("Running jobs", "none", [("sum by (queue) (gpu_platform_queue_jobs_running)", "{{queue}}")]),
        ("GPUs held", "none", [("sum by (queue) (gpu_platform_queue_gpus_held)", "{{queue}}"), ("sum by (queue) (gpu_platform_queue_gpus_guaranteed)", "{{queue}}: guaranteed")]),
        ("Longest wait", "s", [("(time() - gpu_platform_oldest_waiting_job_queued_timestamp_seconds) or vector(0)", "oldest")]),
        ("Job ends per second", "none", [("sum by (state, class) (rate(gpu_platform_job_ends_total[5m]))", "{{state}} {{class}}")]),
        ("Requeues per second", "none", [("sum by (charged_to) (rate(gpu_platform_job_requeues_total[5m])) or vector(0)", "{{charged_to}}")]),
        ("Interruptions per second", "none", [("sum by (cause) (rate(gpu_platform_job_interruptions_total[5m])) or vector(0)", "{{cause}}")]),
        ("Checkpoints per second", "none", [("sum by (complete) (rate(gpu_platform_checkpoints_total[5m])) or vector(0)", "complete: {{complete}}")]),
    ]),
    "faults": ("GPU platform: faults", [
        ("Open incidents", "none", [("sum by (state, needs_person) (gpu_platform_incidents_open) or vector(0)", "{{state}}, operator action required: {{needs_person}}")]),
        ("Open breakers", "none", [("sum by (pool) (gpu_platform_breaker_open) or vector(0)", "{{pool}}")]),
        ("Error reports per hour", "none", [("sum by (xid) (increase(gpu_platform_fault_reports_total[1h])) or vector(0)", "XID {{xid}}")]),
        ("Incidents opened per hour", "none", [("sum by (cause) (increase(gpu_platform_incidents_opened_total[1h])) or vector(0)", "{{cause}}")]),
        ("GPU time lost per hour", "s", [("sum by (cause) (increase(gpu_platform_lost_gpu_seconds_total[1h])) or vector(0)", "{{cause}}")]),
        ("GPU resets and tests per hour", "none", [("sum by (task) (increase(gpu_platform_gpu_tasks_ordered_total[1h])) or vector(0)", "{{task}}"), ("increase(gpu_platform_gpu_tests_passed_total[1h]) or vector(0)", "passed")]),
        ("Time out of service", "s", [("(time() - gpu_platform_gpu_out_of_service_since_timestamp_seconds) or vector(0)", "{{node}}/{{gpu}} {{condition}}")]),
        ("Throttled GPUs", "none", [("sum by (reason) (gpu_platform_gpu_throttled) or vector(0)", "{{reason}}")]),
    ]),
}


def panel(number, title, unit, targets):
    source = {"type": "prometheus", "uid": "${source}"}
    return {
        "id": number + 1, "type": "timeseries", "title": title, "datasource": source,
        "gridPos": {"x": 12 * (number % 2), "y": 8 * (number // 2), "w": 12, "h": 8},
        "fieldConfig": {"defaults": {"unit": unit, "min": 0, "custom": {"fillOpacity": 10, "showPoints": "never"}}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [{"refId": chr(ord("A") + at), "datasource": source, "expr": expression, "legendFormat": legend} for at, (expression, legend) in enumerate(targets)],
    }


def dashboard(name, title, panels):
    variables = [{"name": "source", "type": "datasource", "query": "prometheus", "label": "Source"}]
    if any(NODE in expression for _, _, targets in panels for expression, _ in targets):
        variables.append({"name": "node", "type": "query", "label": "Node", "datasource": {"type": "prometheus", "uid": "${source}"},
                          "query": "label_values(gpu_platform_gpu_info, node)", "includeAll": True, "multi": True, "refresh": 2, "current": {"text": "All", "value": "$__all"}})
    return {"uid": f"gpu-platform-{name}", "title": title, "tags": ["gpu-platform"], "schemaVersion": 39, "version": 1, "editable": True, "refresh": "10s", "time": {"from": "now-3h", "to": "now"},
            "templating": {"list": variables}, "panels": [panel(number, *one) for number, one in enumerate(panels)]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file differs")
    check = parser.parse_args().check
    PLACE.mkdir(parents=True, exist_ok=True)
    others = []
    for name, (title, panels) in DASHBOARDS.items():
        file, text = PLACE / f"{name}.json", json.dumps(dashboard(name, title, panels), indent=1) + "\n"
        if check and (not file.exists() or file.read_text(encoding="utf-8") != text):
            others.append(file.name)
        if not check:
            file.write_text(text, encoding="utf-8")
    if others:
        sys.exit(f"{', '.join(others)}: out of date; run tools/make_grafana.py")


if __name__ == "__main__":
    main()
