"""A training of a few weights by momentum, on random samples: every draw and every rounding counts for its digest.

tiny_training.py DIRECTORY [--steps N] [--every N] [--at STEP --do kill|cut|term|usr1] [--referee SOCKET] [--every-rank]

Prints "step N" after each step, "from N" at the beginning, and at the end "stopped N" or "done N", with the digest.
"""

import argparse
import hashlib
import json
import os
import random
import signal
import socket
import sys

from gpu_platform import Trainer, training

WEIGHTS = 8


class Model:
    def __init__(self):
        source = random.Random(1)
        self.weights = [source.gauss(0, 1) for _ in range(WEIGHTS)]
        self.speeds = [0.0] * WEIGHTS

    def learn(self):
        x = [random.gauss(0, 1) for _ in range(WEIGHTS)]
        error = sum(w * v for w, v in zip(self.weights, x)) - random.random()
        for i, v in enumerate(x):
            self.speeds[i] = 0.9 * self.speeds[i] - 0.01 * error * v
            self.weights[i] += self.speeds[i]
        return error * error

    def digest(self):
        return hashlib.sha256(repr((self.weights, self.speeds)).encode()).hexdigest()[:16]


class Referee:
    """`agree` over a socket: the other end answers all ranks when all have written."""

    def __init__(self, path):
        self.line = socket.socket(socket.AF_UNIX)
        self.line.connect(path)

    def agree(self, asked):
        self.line.sendall(b"1" if asked else b"0")
        answer = self.line.recv(1)
        if not answer:
            sys.exit("the referee is gone")
        return answer == b"1"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--do", default="")
    parser.add_argument("--referee")
    parser.add_argument("--every-rank", action="store_true")
    options = parser.parse_args()
    model = Model()
    random.seed(training.rank())
    data = list(range(10))

    def save(path):
        if options.every_rank:
            os.makedirs(path, exist_ok=True)
            path = os.path.join(path, f"part-{training.rank()}")
        with open(path, "w") as file:
            text = json.dumps([model.weights, model.speeds])
            file.write(text[:len(text) // 2])
            file.flush()
            if options.do == "cut" and t.step == options.at:
                os.kill(os.getpid(), signal.SIGKILL)
            file.write(text[len(text) // 2:])

    def load(path):
        with open(os.path.join(path, f"part-{training.rank()}") if options.every_rank else path) as file:
            model.weights, model.speeds = json.load(file)

    def evaluate():
        return sum(random.random() for _ in range(3))  # it draws too

    t = Trainer(steps=options.steps, checkpoint_every=options.every, keep=3, save=save, load=load, evaluate=evaluate, directory=options.directory,
                agree=Referee(options.referee).agree if options.referee else None, save_on_every_rank=options.every_rank)
    print("from", t.resume(), flush=True)
    if t.step == 0:
        t.state = {"order": data, "at": 0}
    for step in t:
        model.weights[t.state["order"][t.state["at"]] % WEIGHTS] *= 1.001
        t.state["at"] += 1
        if t.state["at"] == len(data):
            random.shuffle(t.state["order"])
            t.state["at"], t.epoch = 0, t.epoch + 1
        t.log(loss=model.learn())
        print("step", step, flush=True)
        if step == options.at and options.do in ("kill", "term", "usr1"):
            os.kill(os.getpid(), getattr(signal, {"kill": "SIGKILL", "term": "SIGTERM", "usr1": "SIGUSR1"}[options.do]))
    print("stopped" if t.is_stopped else "done", t.step, t.epoch, model.digest(), flush=True)
    return 143 if t.is_stopped else 0


if __name__ == "__main__":
    sys.exit(main())
