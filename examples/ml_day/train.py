#!/usr/bin/env python3
"""Learns which letter follows which, on all nodes of a job together; standard library only.

Each rank computes the gradient of lines of its own part of the corpus.  The ranks meet at rank 0's port, which the platform leases to
the job, and add their gradients, so that all of them make the same step.  `gpu_platform.Trainer` saves, resumes, stops and reports.
The lines of a step depend only on the step and the rank: a run that was interrupted ends with the weights of one that was not.

Usage: train.py CORPUS [--steps N] [--checkpoint-every N] [--pause SECONDS] [--out DIRECTORY]
CORPUS: a directory with train.txt and heldout.txt, a sentence on each line.
"""
import argparse
import json
import math
import os
import pathlib
import random
import socket
import sys
import time

from gpu_platform import Trainer, training

LETTERS = " abcdefghijklmnopqrstuvwxyz"
LINES = 8  # that each rank learns from in a step
RATE = 50.0  # too high for the end: the newest checkpoint is not the best one
PATIENCE_S = 60.0


class Model:
    """For each letter a weight for each letter that may follow."""

    def __init__(self):
        self.weights = [[0.0] * len(LETTERS) for _ in LETTERS]

    def judge(self, lines):
        """The number of pairs in the lines, the sum of their losses, and its slope by each weight."""
        counts = [[0] * len(LETTERS) for _ in LETTERS]
        for line in lines:
            places = [LETTERS.index(letter) for letter in line]
            for one, following in zip(places, places[1:]):
                counts[one][following] += 1
        pairs, loss, slopes = 0, 0.0, []
        for weights, row in zip(self.weights, counts):
            total = sum(row)
            powers = [math.exp(weight) for weight in weights]
            scale = sum(powers)
            loss -= sum(count * math.log(power / scale) for count, power in zip(row, powers))
            slopes.append([total * power / scale - count for count, power in zip(row, powers)])
            pairs += total
        return pairs, loss, slopes

    def mean_loss(self, lines):
        pairs, loss, _ = self.judge(lines)
        return loss / pairs

    def learn(self, answers, rate):
        """One step by what all ranks computed, in their order: sums of floats depend on it.  The mean loss of a pair."""
        pairs, loss = sum(answer[0] for answer in answers), sum(answer[1] for answer in answers)
        for one, weights in enumerate(self.weights):
            for following in range(len(weights)):
                weights[following] -= rate * sum(answer[2][one][following] for answer in answers) / pairs
        return loss / pairs

    def save(self, path):
        pathlib.Path(path).write_text(json.dumps(self.weights), encoding="ascii")

    def load(self, path):
        self.weights = json.loads(pathlib.Path(path).read_text(encoding="ascii"))


class Corpus:
    def __init__(self, directory):
        self.lines, self.heldout = (pathlib.Path(directory, name).read_text(encoding="ascii").splitlines() for name in ("train.txt", "heldout.txt"))

    def batch(self, step, rank, ranks):
        return random.Random(f"{step} {rank}").sample(self.lines[rank::ranks], LINES)


class Ring:
    """The ranks of the job, which exchange what JSON takes, in rounds.  Others than rank 0 connect to it."""

    def __init__(self, rank, ranks):
        self.rank, self.peers = rank, []
        if ranks == 1:
            return
        address = (os.environ["GP_MASTER_ADDR"], int(os.environ["GP_MASTER_PORT"]))
        if rank == 0:
            with socket.create_server(("", address[1])) as door:
                door.settimeout(PATIENCE_S)
                arrived = (door.accept()[0] for _ in range(ranks - 1))
                streams = [stream_of(connection) for connection in arrived]
            self.peers = [stream for _, stream in sorted((json.loads(stream.readline()), stream) for stream in streams)]
        else:
            self.peers = [stream_of(connect(address))]
            self._send(rank)

    def gather(self, mine):
        """What each rank passed, in the order of ranks; the same on all of them."""
        if not self.peers:
            return [mine]
        if self.rank == 0:
            every = [mine, *(self._receive(peer) for peer in self.peers)]
            self._send(every)
            return every
        self._send(mine)
        return self._receive(self.peers[0])

    def _send(self, value):
        for peer in self.peers:
            peer.write(json.dumps(value).encode() + b"\n")
            peer.flush()

    @staticmethod
    def _receive(peer):
        line = peer.readline()
        if not line:
            raise ConnectionError("connection reset by peer: another rank has ended")
        return json.loads(line)


def stream_of(connection):
    connection.settimeout(PATIENCE_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection.makefile("rwb")


def connect(address):
    """Rank 0 may open its port later than others look for it."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return socket.create_connection(address, timeout=PATIENCE_S)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(description="Learns which letter follows which")
    parser.add_argument("corpus")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--checkpoint-every", type=int, default=50)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds to wait after each step, as for a larger model")
    parser.add_argument("--out", default=".", help="where the model goes")
    options = parser.parse_args()
    rank, ranks = training.rank(), training.world_size()
    model, corpus, ring = Model(), Corpus(options.corpus), Ring(rank, ranks)

    def evaluate():
        return model.mean_loss(corpus.heldout)

    t = Trainer(steps=options.steps, checkpoint_every=options.checkpoint_every, save=model.save, load=model.load, evaluate=evaluate,
                agree=lambda asked: any(ring.gather(asked)), directory=os.environ.get("GP_CHECKPOINT_DIR", "checkpoints"))
    first = t.resume()
    pairs = t.state.setdefault("pairs", [0] * ranks)  # that each rank has taught
    print(f"rank {rank} of {ranks}, attempt {os.environ.get('GP_ATTEMPT', '1')}, from step {first}", flush=True)
    for step in t:
        answers = ring.gather(model.judge(corpus.batch(step, rank, ranks)))
        loss = model.learn(answers, RATE)
        for one, answer in enumerate(answers):
            pairs[one] += answer[0]
        if rank == 0:
            t.log({"train/loss": loss})
        time.sleep(options.pause)
    if t.is_stopped:
        sys.exit(143)
    os.makedirs(options.out, exist_ok=True)
    pathlib.Path(options.out, "pairs.json").write_text(json.dumps({"pairs": pairs[rank]}), encoding="ascii")
    if rank == 0:
        model.save(f"{options.out}/model.json")
        print(f"after {t.step} steps the loss on held-out text is {evaluate():.4f}; pairs of letters by rank: {pairs}", flush=True)


if __name__ == "__main__":
    main()
