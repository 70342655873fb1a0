#!/usr/bin/python3
"""What a placement that knows the machine gains over others: a table, and a picture (SVG).

gain.py --binary PROGRAM [--jobs N] [--seeds N] [--svg FILE]
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from svg import Picture  # noqa: E402

MACHINES = ["l40s-4", str(pathlib.Path(__file__).parent / "machines/dgx-1v.yaml"), "dgx2", "dgx-a100", "dgx-h100", "hgx-h200", "dgx-b200"]
POLICIES = {"default": "#1b6ca8", "socket": "#2e8b57", "firstfit": "#c0562a", "random": "#9a9a9a"}
FIGURES = ["mean_pair_gb_s", "worst_pair_gb_s", "near_numa_pct", "near_socket_pct", "served_numa_pct", "served_socket_pct",
           "mean_wait_s", "p95_wait_s", "used_pct"]
WIDTH, TOP, ROW, LEFT, PANEL, GAP = 986, 104, 58, 96, 250, 36
# What the panels show: title, what is below it, the figure, the scale's end, its ticks.
PANELS = [
    ("Slowest pair of a rank", "% of the best policy's GB/s; more is better", "worst_pair_gb_s", 100, [0, 25, 50, 75, 100]),
    ("GPUs served on their NUMA node", "% of GPUs; more is better", "served_numa_pct", 100, [0, 25, 50, 75, 100]),
    ("Mean wait", "minutes; less is better", "mean_wait_s", 24, [0, 6, 12, 18, 24]),
]


def play(binary, machine, jobs, seeds, first=42):
    """One document for each policy and seed."""
    words = [binary, "topology", "--machine", machine, "--jobs", str(jobs), "--seed", str(first), "--seeds", str(seeds), "-o", "json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def means(documents):
    """{policy: {figure: mean over the seeds}}, and the widest spread of the mean pair over the seeds."""
    rows = {}
    for policy in POLICIES:
        own = [d for d in documents if d["policy"] == policy]
        rows[policy] = {figure: statistics.fmean(d[figure] for d in own) for figure in FIGURES}
        values = [d["mean_pair_gb_s"] for d in own]
        rows[policy]["spread"] = max(values) - min(values)
    return rows


def table(results):
    lines = ["machine    policy      pair  ±half   worst  near NUMA  socket  served NUMA  socket   wait min   p95    used %"]
    for machine, rows in results.items():
        for policy, row in rows.items():
            lines.append(f"{machine:<10} {policy:<9} {row['mean_pair_gb_s']:>6.1f} {row['spread'] / 2:>6.2f} {row['worst_pair_gb_s']:>7.1f} "
                         f"{row['near_numa_pct']:>10.1f} {row['near_socket_pct']:>7.1f} {row['served_numa_pct']:>12.1f} {row['served_socket_pct']:>7.1f} "
                         f"{row['mean_wait_s'] / 60:>10.1f} {row['p95_wait_s'] / 60:>5.0f} {row['used_pct']:>9.1f}")
    return "\n".join(lines)


def shown(figure, rows, policy):
    value = rows[policy][figure]
    if figure == "worst_pair_gb_s":
        return 100 * value / max(row[figure] for row in rows.values())
    return value / 60 if figure == "mean_wait_s" else value


def panel(out, number, results):
    title, unit, figure, high, ticks = PANELS[number]
    left, bottom = LEFT + number * (PANEL + GAP), TOP + ROW * len(results)

    def x(value):
        return left + PANEL * min(value, high) / high

    out.text(left, TOP - 30, title, font_weight="bold")
    out.text(left, TOP - 13, unit, fill="#666", font_size=12)
    for tick in ticks:
        out.line(x(tick), TOP, x(tick), bottom)
        out.text(x(tick), bottom + 18, str(tick), "middle", fill="#666", font_size=12)
    for index, (machine, rows) in enumerate(results.items()):
        for lane, (policy, colour) in enumerate(POLICIES.items()):
            y = TOP + ROW * index + 13 + lane * 11
            value = shown(figure, rows, policy)
            at = x(value)
            out.line(left, y, at, y, stroke=colour, stroke_width=3, stroke_opacity=0.35)
            if value > high:
                out.text(at + 6, y + 4, f"→ {value:.0f}", fill=colour, font_size=12)
            else:
                out.dot(at, y, 4.5 if policy == "default" else 3.5, colour)


def picture(results):
    height = TOP + ROW * len(results) + 34
    out = Picture(WIDTH, height)
    out.text(16, 26, "What knowing the machine gains: mixed jobs on 16 nodes of each kind, 87 % of the GPU time asked for", font_size=16)
    at = 16
    for policy, colour in POLICIES.items():
        out.dot(at + 5, 47, 5, colour)
        out.text(at + 15, 51, policy, fill=colour)
        at += 100
    for index, (machine, rows) in enumerate(results.items()):
        top = TOP + ROW * index
        if index % 2 == 0:
            out.box(0, top, WIDTH, ROW, "#f6f7f9")
        out.text(16, top + 25, machine, font_weight="bold")
        best = max(row["worst_pair_gb_s"] for row in rows.values())
        out.text(16, top + 42, f"{best:.0f} GB/s", fill="#666", font_size=12)
    for number in range(len(PANELS)):
        panel(out, number, results)
    return out.finish()


def measure(binary, jobs, seeds):
    results = {}
    for machine in MACHINES:
        documents = play(binary, machine, jobs, seeds)
        results[documents[0]["machine"]] = means(documents)
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--svg")
    options = parser.parse_args()
    results = measure(options.binary, options.jobs, options.seeds)
    print(table(results))
    if options.svg:
        with open(options.svg, "w") as file:
            file.write(picture(results))


if __name__ == "__main__":
    main()
