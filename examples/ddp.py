#!/usr/bin/env python3
"""Trains a small network on two spirals with PyTorch's DistributedDataParallel: one process per GPU, on one or more
nodes.  If PyTorch finds no GPU, the processes use CPU cores, and gloo instead of NCCL.

Started once per node (ddp.gpu.yaml), it starts one process per GPU, as torchrun does; under torchrun each process is
already one of these.  It supports preemption:
  SIGUSR1            save a checkpoint soon; rank 0 writes it, all ranks stop at the same step for it
  GP_RESUME_FROM     the checkpoint to resume from
Batches depend only on the step and the rank, so an interrupted run ends with the same weights as an uninterrupted one;
the digest printed at the end shows it.

Usage: ddp.py [--steps N] [--checkpoint-every N] [--pause SECONDS]
"""
import argparse
import gc
import hashlib
import math
import os
import signal
import subprocess
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../clients/python"))  # or: pip install
from gpu_platform import training  # noqa: E402
from gpu_platform.integrations.torch import any_rank_is_asked  # noqa: E402

BATCH = 32
is_save_asked = False


def ask_for_save(*_):
    global is_save_asked
    is_save_asked = True


def spirals(step, rank):
    """A batch of points of two interleaved spirals, each with its side."""
    draw = torch.Generator().manual_seed(step * 1_000 + rank)
    side = torch.arange(BATCH) % 2
    t = 0.3 + 2.2 * torch.rand(BATCH, generator=draw)
    angle = 5.0 * t + math.pi * side
    points = torch.stack([t * torch.cos(angle), t * torch.sin(angle)], dim=1)
    return points + 0.05 * torch.randn(BATCH, 2, generator=draw), side.float()


def digest(model):
    total = hashlib.sha256()
    for weights in model.state_dict().values():
        total.update(weights.cpu().numpy().tobytes())
    return total.hexdigest()[:16]


def start_ranks():
    """Starts one rank per GPU of this node; the first failure ends the others.  Returns 0 if all succeed."""
    gpus = int(os.environ["GP_GPUS_PER_NODE"])
    first, world = int(os.environ["GP_NODE_RANK"]) * gpus, int(os.environ["GP_NNODES"]) * gpus
    ranks = [subprocess.Popen([sys.executable, *sys.argv], env={**os.environ, "RANK": str(first + local), "LOCAL_RANK": str(local), "WORLD_SIZE": str(world)})
             for local in range(gpus)]
    while any(one.poll() is None for one in ranks) and not any(one.returncode for one in ranks):
        time.sleep(0.1)
    for one in ranks:
        one.kill()
    return max((one.wait() for one in ranks), key=abs)


def main():
    global is_save_asked
    options = argparse.ArgumentParser(description="PyTorch DDP as a preemptible job")
    options.add_argument("--steps", type=int, default=400)
    options.add_argument("--checkpoint-every", type=int, default=100)
    options.add_argument("--pause", type=float, default=0.0, help="seconds to wait after each step, as for a larger network")
    options = options.parse_args()
    if "RANK" not in os.environ:
        sys.exit(1 if start_ranks() else 0)
    signal.signal(signal.SIGUSR1, ask_for_save)

    has_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if has_gpu else "gloo")
    rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if has_gpu else torch.device("cpu")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1)).to(device)
    # By default DDP changes its gradient buckets after the first step, which changes the rounding of the sums.  With
    # this option the buckets are the same in every step and attempt.
    model = DistributedDataParallel(network, device_ids=[local] if has_gpu else None, find_unused_parameters=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    checkpoints = training.Checkpoints()
    first, loss = 0, None
    state = checkpoints.load(lambda path: torch.load(path, map_location=device))
    if state is not None:
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]
    if rank == 0:
        print(f"{dist.get_world_size()} ranks over {dist.get_backend()}, from step {first}", flush=True)

    for step in range(first, options.steps):
        points, side = spirals(step, rank)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(points.to(device)).squeeze(1), side.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done = step + 1
        is_asked = any_rank_is_asked(is_save_asked, device)  # one that stopped alone would leave the others waiting
        if (is_asked or done % options.checkpoint_every == 0) and rank == 0:
            checkpoints.save(done, lambda path: torch.save({"network": network.state_dict(), "optimizer": optimizer.state_dict(), "step": done}, path), score=loss.item())
        is_save_asked = is_save_asked and not is_asked
        if rank == 0:
            training.progress(done, options.steps)
        time.sleep(options.pause)

    if rank == 0:
        learned = f"loss {loss.item():.4f} after" if loss is not None else "nothing left to do of"
        print(f"{learned} {options.steps} steps, weights {digest(network)}", flush=True)
    # Delete the model first: if it held the last reference to the group, its destructor could wait, with Python's lock,
    # for a thread that waits for that lock.
    del model, loss
    gc.collect()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
