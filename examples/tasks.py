#!/usr/bin/env python3
"""Starts a program once for each GPU on each node of a job, as srun or mpirun does.  For programs that use RANK and
WORLD_SIZE, with or without PyTorch.

Standard library only.  Started once per node.  Each task has RANK, LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE and
NODE_RANK in addition to the job's environment (MASTER_ADDR, MASTER_PORT, all GPUs of the node).  Signals are forwarded
to all tasks.  If a task fails, the others of its node receive SIGTERM, and its exit code becomes the node's, which ends
the gang.

Usage: tasks.py [--per-node N] PROGRAM [ARGUMENT]...
"""
import argparse
import os
import signal
import subprocess
import sys

GRACE = 10.0  # seconds from SIGTERM to SIGKILL after another task has failed
PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


def environment(local, per_node):
    node, nodes = int(os.environ["GP_NODE_RANK"]), int(os.environ["GP_NNODES"])
    places = {"RANK": node * per_node + local, "LOCAL_RANK": local, "WORLD_SIZE": nodes * per_node,
              "LOCAL_WORLD_SIZE": per_node, "NODE_RANK": node}
    return os.environ | {name: str(value) for name, value in places.items()}


def send_all(tasks, number):
    for task in tasks:
        if task.poll() is None:
            task.send_signal(number)


def exit_code(task):
    """As in a shell: 128 plus the signal number if a signal ended the task."""
    return task.returncode if task.returncode >= 0 else 128 - task.returncode


def end(tasks):
    send_all(tasks, signal.SIGTERM)
    for task in tasks:
        try:
            task.wait(GRACE)
        except subprocess.TimeoutExpired:
            send_all(tasks, signal.SIGKILL)
            task.wait()


def watch(tasks):
    """Returns the exit code of the first task that fails, or 0 once all have succeeded."""
    left = {task.pid: task for task in tasks}
    while left:
        pid = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT).si_pid
        task = left.pop(pid, None)
        if task is None:
            os.waitpid(pid, 0)  # an orphan of a task
            continue
        task.wait()
        if task.returncode != 0:
            end(left.values())
            return exit_code(task)
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-node", type=int, default=max(int(os.environ.get("GP_GPUS_PER_NODE", 0)), 1))
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.program or options.per_node < 1:
        parser.error("a program and at least one task per node are required")
    tasks = []
    for number in PASSED_ON:
        signal.signal(number, lambda number, _: send_all(tasks, number))
    try:
        for local in range(options.per_node):
            tasks.append(subprocess.Popen(options.program, env=environment(local, options.per_node)))
    except OSError as error:
        print(f"tasks.py: {options.program[0]}: {error.strerror}", file=sys.stderr)
        end(tasks)
        return 127
    return watch(tasks)


if __name__ == "__main__":
    sys.exit(main())
