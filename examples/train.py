#!/usr/bin/env python3
"""Trains a small network on two spirals; standard library only, a few seconds on one core.

It supports stops and restarts:
  GP_CHECKPOINT_DIR  the directory for its checkpoints; each is complete or absent
  GP_REPORT          the pipe where it reports checkpoints and progress, one line each
  GP_RESUME_FROM     the checkpoint to resume from, or their directory if none was reported
  SIGTERM            save a checkpoint and end with exit code 143
Batches depend only on the step, so an interrupted run ends with the same results as an
uninterrupted one.

Usage: train.py [--steps N] [--checkpoint-every N] [--report-every N]
"""
import argparse
import json
import math
import os
import random
import signal
import sys
import time

HIDDEN = 40
BATCH = 16
RATE = 0.1


def spirals(count, seed):
    """Points of two interleaved spirals, each with its side: 0 or 1."""
    rng = random.Random(seed)
    points = []
    for i in range(count):
        side, t = i % 2, 0.3 + 2.2 * rng.random()
        angle = 5.0 * t + math.pi * side
        points.append((t * math.cos(angle) + rng.gauss(0, 0.05),
                       t * math.sin(angle) + rng.gauss(0, 0.05), side))
    return points


class Network:
    """Two inputs, one hidden tanh layer, one output: the probability of side 1."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.hidden = [[rng.gauss(0, 1), rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(HIDDEN)]
        self.output = [rng.gauss(0, 0.3) for _ in range(HIDDEN + 1)]

    def forward(self, x, y):
        units = [math.tanh(a * x + b * y + c) for a, b, c in self.hidden]
        total = self.output[-1] + sum(w * h for w, h in zip(self.output, units))
        return units, 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))

    def learn(self, batch, rate):
        """Makes one step of gradient descent; returns the mean loss before it."""
        loss = 0.0
        hidden_gradient = [[0.0, 0.0, 0.0] for _ in range(HIDDEN)]
        output_gradient = [0.0] * (HIDDEN + 1)
        for x, y, side in batch:
            units, p = self.forward(x, y)
            loss -= math.log(max(p if side else 1.0 - p, 1e-12))
            error = p - side
            output_gradient[-1] += error
            for i, h in enumerate(units):
                output_gradient[i] += error * h
                back = error * self.output[i] * (1.0 - h * h)
                gradient = hidden_gradient[i]
                gradient[0] += back * x
                gradient[1] += back * y
                gradient[2] += back
        step = rate / len(batch)
        for weights, gradient in zip(self.hidden, hidden_gradient):
            for k in range(3):
                weights[k] -= step * gradient[k]
        for i, g in enumerate(output_gradient):
            self.output[i] -= step * g
        return loss / len(batch)

    def accuracy(self, points):
        right = sum((self.forward(x, y)[1] > 0.5) == (side == 1) for x, y, side in points)
        return right / len(points)


def save(directory, step, network):
    """Writes a temporary file and renames it, so that readers see only complete checkpoints."""
    name, began = f"step-{step:06}.json", time.monotonic()
    path = os.path.join(directory, name)
    with open(path + ".part", "w") as file:
        json.dump({"step": step, "hidden": network.hidden, "output": network.output}, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(path + ".part", path)
    report(f"checkpoint step={step} bytes={os.path.getsize(path)} seconds={time.monotonic() - began:.3f} path={os.path.abspath(path)}")
    return name


def report(line):
    """Sends a line to the platform; does nothing outside a job."""
    if "GP_REPORT" in os.environ:
        with open(os.environ["GP_REPORT"], "w") as pipe:
            pipe.write(line + "\n")


def load(path, network):
    """Loads that checkpoint, or the newest of a directory, and returns its step; 0 if there is none."""
    if os.path.isdir(path):
        names = [name for name in os.listdir(path) if name.endswith(".json")]
        if not names:
            return 0
        path = os.path.join(path, max(names))
    with open(path) as file:
        saved = json.load(file)
    network.hidden, network.output = saved["hidden"], saved["output"]
    return saved["step"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--checkpoint-every", type=int, default=5_000)
    parser.add_argument("--report-every", type=int, default=4_000)
    options = parser.parse_args()
    directory = os.environ.get("GP_CHECKPOINT_DIR", "checkpoints")
    os.makedirs(directory, exist_ok=True)

    stopping = []
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(True))
    points, network = spirals(400, seed=7), Network(seed=3)
    first = 0
    if os.environ.get("GP_RESUME_FROM"):
        first = load(os.environ["GP_RESUME_FROM"], network)
        print(f"resumed at step {first}", flush=True)

    began, losses = time.monotonic(), []
    for step in range(first + 1, options.steps + 1):
        batch = random.Random(step).sample(points, BATCH)
        losses.append(network.learn(batch, RATE))
        if step % options.report_every == 0 or step == 1:
            print(f"step {step} loss {sum(losses) / len(losses):.3f}", flush=True)
            losses = []
            report(f"progress step={step} of={options.steps}")
        if stopping:
            print(f"received SIGTERM; checkpoint {save(directory, step, network)}", flush=True)
            return 143
        if step % options.checkpoint_every == 0 or step == options.steps:
            print(f"checkpoint {save(directory, step, network)}", flush=True)
    print(f"trained {options.steps - first} steps in {time.monotonic() - began:.1f} s, "
          f"accuracy {network.accuracy(points):.3f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
