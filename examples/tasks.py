#!/usr/bin/env python3
"""Starts a program several times on each node of a job, once for each GPU, as srun or mpirun would: for programs that
find their place by RANK and WORLD_SIZE, with or without PyTorch.

Standard library only.  Started once per node.  Each task finds RANK, LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE and
NODE_RANK beside what the job has (MASTER_ADDR, MASTER_PORT, all GPUs of the node).  Signals are passed on to all tasks.
When one fails, the others of its node are told to end, and its exit code is the node's, which ends the gang.

Usage: tasks.py [--per-node N] PROGRAM [ARGUMENT]...
"""
import argparse
import os
import signal
import subprocess
import sys

GRACE = 10.0  # seconds from SIGTERM to SIGKILL, for tasks beside one that has failed
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
    """As a shell has it: 128 and the signal's number where one ended it."""
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
    """The exit code of the first that fails; 0 once all have succeeded."""
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
        parser.error("a program is needed, and at least one task on each node")
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
