"""Formats the measurements as a table and as JSON."""

import json
import statistics


def median_row(node, own, to, back):
    return {"node": node, "own": own == node, "to_gpu_gb_s": round(statistics.median(to), 2), "from_gpu_gb_s": round(statistics.median(back), 2)}


def table(gpus):
    """One row per GPU and node; a star marks the GPU's own node."""
    lines = [f"{'GPU':<42} {'NUMA':>5} {'TO GPU GB/s':>12} {'FROM GPU GB/s':>14}"]
    for gpu in gpus:
        for row in gpu["nodes"]:
            node = f"{row['node']}{'*' if row['own'] else ' '}"
            lines.append(f"{gpu['uuid']:<42} {node:>5} {row['to_gpu_gb_s']:>12.2f} {row['from_gpu_gb_s']:>14.2f}")
    return "\n".join(lines)


def document(gpus):
    return json.dumps(gpus, indent=2)
