#!/usr/bin/env python3
"""A gang with one process per GPU, which sum a vector by ring all-reduce over TCP.

Standard library only.  Started once per node, like torchrun; the ranks meet at
GP_MASTER_ADDR:GP_MASTER_PORT.  Every sum is compared with the expected one, so a rank that is
missing, duplicated or from another gang ends the job with exit code 1.

Usage: allreduce.py [--numbers N] [--rounds N]
"""
import argparse
import array
import json
import os
import socket
import struct
import sys
import threading
import time

PATIENCE = 30.0  # seconds that a rank waits for the others


def send(sock, data):
    sock.sendall(struct.pack("!I", len(data)) + data)


def receive(sock):
    def exactly(count):
        parts = bytearray()
        while len(parts) < count:
            part = sock.recv(count - len(parts))
            if not part:
                raise ConnectionError("a rank disconnected")
            parts += part
        return bytes(parts)

    return exactly(struct.unpack("!I", exactly(4))[0])


def listen(address, port):
    sock = socket.create_server((address, port))
    sock.settimeout(PATIENCE)
    return sock


def connect(address, port):
    """Retries, because the other side may not listen yet."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            sock = socket.create_connection((address, port), timeout=PATIENCE)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def gather_addresses(server, world):
    """Runs on rank 0: collects the address of each rank and sends all of them to every rank."""
    waiting, table = [], {}
    while len(table) < world:
        sock, _ = server.accept()
        rank, *place = json.loads(receive(sock))
        if rank in table:
            raise RuntimeError(f"two processes claim rank {rank}")
        table[rank] = place
        waiting.append(sock)
    for sock in waiting:
        send(sock, json.dumps([table[rank] for rank in range(world)]).encode())


class Ring:
    """Sockets to the next and from the previous rank."""

    def __init__(self, rank, world, master):
        if rank == 0:
            server = listen(*master)
            threading.Thread(target=gather_addresses, args=(server, world), daemon=True).start()
        meeting = connect(*master)
        own = listen(meeting.getsockname()[0], 0)  # the local address of the connection to the master
        send(meeting, json.dumps([rank, *own.getsockname()[:2]]).encode())
        table = json.loads(receive(meeting))
        self.rank, self.world = rank, world
        self.next = connect(*table[(rank + 1) % world])
        self.previous, _ = own.accept()
        self.previous.settimeout(PATIENCE)

    def exchange(self, chunk):
        """Sends a chunk and receives one.  All ranks do so at once, so sending must not block."""
        sender = threading.Thread(target=send, args=(self.next, chunk.tobytes()))
        sender.start()
        taken = array.array("d")
        taken.frombytes(receive(self.previous))
        sender.join()
        return taken

    def all_reduce(self, vector):
        """Replaces every element by its sum over all ranks, in 2 (world - 1) exchanges."""
        world, rank, size = self.world, self.rank, len(vector)
        bounds = [size * i // world for i in range(world + 1)]

        def part(i):
            return slice(bounds[i % world], bounds[i % world + 1])

        for step in range(world - 1):
            taken = self.exchange(vector[part(rank - step)])
            where = part(rank - step - 1)
            vector[where] = array.array("d", map(float.__add__, vector[where], taken))
        for step in range(world - 1):
            vector[part(rank - step)] = self.exchange(vector[part(rank + 1 - step)])
        return vector


def work(rank, world, options):
    ring = Ring(rank, world, (os.environ["GP_MASTER_ADDR"], int(os.environ["GP_MASTER_PORT"])))
    began = time.monotonic()
    for round_number in range(options.rounds):
        vector = array.array("d", (rank * 1000 + i + round_number for i in range(options.numbers)))
        total = ring.all_reduce(vector)
        expected = 1000 * world * (world - 1) // 2
        if any(total[i] != expected + world * (i + round_number) for i in range(options.numbers)):
            print(f"rank {rank}: wrong sum in round {round_number}", flush=True)
            return 1
    if rank == 0:
        each = (time.monotonic() - began) / options.rounds * 1000
        print(f"{world} ranks on {os.environ['GP_NNODES']} node(s): {options.rounds} all-reduces of "
              f"{options.numbers} numbers, every sum right, {each:.1f} ms each", flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--numbers", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    gpus = os.environ["CUDA_VISIBLE_DEVICES"].split(",")  # this node's GPUs
    first = int(os.environ["GP_NODE_RANK"]) * len(gpus)
    world = int(os.environ["GP_NNODES"]) * len(gpus)
    children = []
    for local, gpu in enumerate(gpus):
        pid = os.fork()
        if pid == 0:
            os.environ["CUDA_VISIBLE_DEVICES"] = gpu  # a real program opens its GPU here
            code = 1
            try:
                code = work(first + local, world, options)
            except Exception as error:
                print(f"rank {first + local}: {error}", file=sys.stderr, flush=True)
            os._exit(code)
        children.append(pid)
    return max(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0 for pid in children)


if __name__ == "__main__":
    sys.exit(int(main()))
