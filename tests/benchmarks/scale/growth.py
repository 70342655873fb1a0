#!/usr/bin/python3
"""How the cost of decisions grows with the cluster: a table, and a picture (SVG).

growth.py --binary PROGRAM [--runs N] [--svg FILE]
"""

import argparse
import json
import math
import statistics
import subprocess

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
    words = [binary, "bench", "schedule", "--nodes", str(nodes), "--gpus-per-node", "8", "-o", "json"]
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

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="24" font-size="16">Cost of decisions by size of the cluster (8 GPUs a node, 90 % in use, both axes logarithmic)</text>']
    for power, name in zip(range(6), ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms"]):
        at = y(10 ** power)
        out.append(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 10}" y="{at + 4:.1f}" text-anchor="end">{name}</text>')
    for nodes in SIZES:
        out.append(f'<text x="{x(nodes):.1f}" y="{HEIGHT - BOTTOM + 22}" text-anchor="middle">{nodes:,}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">nodes</text>')
    labels = label_heights([y(values) for values in rows[-1][1]])
    for index, (name, _, _, _) in enumerate(SERIES):
        points = [(x(nodes), y(values[index])) for nodes, values in rows]
        colour = COLOURS[index]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}"/>' for px, py in points]
        out.append(f'<text x="{points[-1][0] + 10:.1f}" y="{labels[index] + 4:.1f}" fill="{colour}">{name}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


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
