#!/usr/bin/python3
"""How the cost of decisions grows with the cluster: a table, and a picture (SVG).

growth.py --binary PROGRAM [--runs N] [--svg FILE]
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from svg import Picture  # noqa: E402

SIZES = [1000, 2000, 4000, 8000, 12500]
# What is timed: how it is called, how it is read, how many microseconds it counts for, its bound in µs.
SERIES = [
    ("decision, median", lambda d: d["decision_us"]["p50"], 1, 50),
    ("decision, 99th of 100", lambda d: d["decision_us"]["p99"], 1, 1_000),
    ("512 GPUs refused", lambda d: d["refusal_us"], 1, 1_000),
    ("512 GPUs placed", lambda d: d["gang512_ms"], 1_000, 5_000),
    ("64 GPUs by interrupting", lambda d: d["preempt64_ms"], 1_000, 20_000),
    ("explained", lambda d: d["explain_ms"], 1_000, 100_000),
]
COLOURS = ["#1b6ca8", "#5aa0d0", "#7a7a7a", "#2e8b57", "#c0562a", "#8a4fa3"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 460, 80, 190, 46, 52


def measure(binary, nodes, runs):
    words = [binary, "schedule", "--nodes", str(nodes), "--gpus-per-node", "8", "-o", "json"]
    documents = [json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout) for _ in range(runs)]
    return [statistics.median(read(d) for d in documents) * factor for _, read, factor, _ in SERIES]


def label_heights(heights):
    """The same, moved apart where labels would lie on each other."""
    moved, last = {}, None
    for index in sorted(range(len(heights)), key=lambda i: heights[i]):
        moved[index] = last = heights[index] if last is None else max(heights[index], last + 16)
    return moved


def picture(rows):
    low, high = 0, 5.4  # powers of ten of microseconds

    def x(nodes):
        span = math.log10(SIZES[-1] / SIZES[0])
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(nodes / SIZES[0]) / span

    def y(us):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (math.log10(max(us, 1)) - low) / (high - low)

    out = Picture(WIDTH, HEIGHT)
    out.text(LEFT, 24, "Cost of decisions by size of the cluster (8 GPUs a node, 90 % in use, both axes logarithmic)", font_size=16)
    for power, name in zip(range(6), ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms"]):
        at = y(10 ** power)
        out.line(LEFT, at, WIDTH - RIGHT, at)
        out.text(LEFT - 10, at + 4, name, "end")
    for nodes in SIZES:
        out.text(x(nodes), HEIGHT - BOTTOM + 22, f"{nodes:,}", "middle")
    out.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "nodes", "middle")
    labels = label_heights([y(values) for values in rows[-1][1]])
    for index, (name, _, _, _) in enumerate(SERIES):
        points = [(x(nodes), y(values[index])) for nodes, values in rows]
        out.path(points, COLOURS[index])
        out.text(points[-1][0] + 10, labels[index] + 4, name, fill=COLOURS[index])
    return out.finish()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--svg")
    options = parser.parse_args()
    rows = [(nodes, measure(options.binary, nodes, options.runs)) for nodes in SIZES]
    print("nodes    " + "".join(f"{name:>26}" for name, *_ in SERIES) + "   (microseconds, medians)")
    for nodes, values in rows:
        print(f"{nodes:<9}" + "".join(f"{value:>26.1f}" for value in values))
    print("bound    " + "".join(f"{bound:>26}" for *_, bound in SERIES))
    if options.svg:
        with open(options.svg, "w") as file:
            file.write(picture(rows))


if __name__ == "__main__":
    main()
