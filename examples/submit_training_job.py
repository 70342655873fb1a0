#!/usr/bin/env python3
"""Submits a training job, follows it, and prints its loss, its checkpoints, its cost and where the model lies.

Without a command it trains the classifier of bert_finetune.py, which needs no PyTorch.  Another command, after `--`, is a
program with gpu_platform.Trainer in the working directory; it finds its checkpoint directory in GP_CHECKPOINT_DIR.
The controller is that of this machine, or GPU_PLATFORM_HTTP with GPU_PLATFORM_TOKEN.  Ctrl-C leaves the job running.

Usage: submit_training_job.py [--gpus N] [--steps N] [--directory DIR] [--detach] ... [-- COMMAND ARGUMENT...]
Exit code: that of the job; 1 if it was cancelled or could not be submitted, 130 after Ctrl-C.
"""
import argparse
import os
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../clients/python"))  # or: pip install
import gpu_platform  # noqa: E402

PRIORITIES = {"low": 250, "medium": 500, "high": 750}
LOSS = "train/loss"
LAST_FIGURES_S = 10.0  # what a job reported last may arrive after its end


def options_of(arguments):
    parser = argparse.ArgumentParser(description="Submits a training job and follows it to its end")
    parser.add_argument("--name", default="bert-finetune")
    parser.add_argument("--gpus", type=int, default=1, help="on one node")
    parser.add_argument("--priority", choices=PRIORITIES, default="medium")
    parser.add_argument("--queue", default="", help="default: the queue default")
    parser.add_argument("--retries", type=int, default=2, help="restarts after failures of the program")
    parser.add_argument("--directory", help="for checkpoints and the model; the nodes must see it (default: a new one in /var/tmp)")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--model", choices=("words", "torch", "transformers"), help="default: the best that the node has")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds to wait after each step, as for a larger model")
    parser.add_argument("--refresh", type=float, default=1.0, metavar="SECONDS", help="between two looks at the job")
    parser.add_argument("--detach", action="store_true", help="print the job's id and do not follow it")
    parser.add_argument("command", nargs="*", help="after --: another program than bert_finetune.py")
    return parser.parse_args(arguments)


def command_of(options):
    if options.command:
        return options.command
    model = ["--model", options.model] if options.model else []
    every = max(options.steps // 4, 1)
    return ["python3", "-B", os.path.join(HERE, "bert_finetune.py"), "--steps", str(options.steps), "--checkpoint-every", str(every),
            "--pause", str(options.pause), *model]


def submit(client, options):
    """A job that goes on from its newest checkpoint after a fault, a preemption or a failure."""
    directory = options.directory or f"/var/tmp/{options.name}-{int(time.time() * 1000):x}"
    return client.submit(
        command_of(options), name=options.name, gpus=options.gpus, queue=options.queue, priority=PRIORITIES[options.priority], preemptible=True,
        checkpoint_directory=os.path.abspath(directory), checkpoint_keep=3,
        more={"checkpoint_best": 1,  # the one with the lowest score, as best="min" of the program's Trainer
              "checkpoint_signal": int(signal.SIGUSR1), "checkpoint_every_ms": 600_000,
              "retry": {"retries_max": options.retries, "on_failure": options.retries > 0, "backoff_min_ms": 1000, "backoff_max_ms": 10_000}})


def curve(job, name):
    """The points of a metric, oldest first; none if the job has not reported it."""
    series = job.client.operations.get_job_metrics(job.id, names=[name], points=100)["series"]
    return [point for point in series[0]["points"] if point["last"] is not None] if series else []


def standing(job):
    """One line: what the job does now."""
    progress = job.fields.get("progress") or {}
    if job.state != gpu_platform.JobState.RUNNING or not progress.get("step"):
        return f"{job.state.value}" + (f": {job.reason}" if job.reason else "")
    points = curve(job, LOSS)
    of = f" of {progress['steps']}" if progress.get("steps") else ""
    return f"RUNNING: step {progress['step']}{of}" + (f", loss {points[-1]['last']:.3f}" if points else "")


def follow(job, refresh):
    """Prints a line for each change, until the job is over."""
    last, seen = "", set()
    while True:
        is_over = job.refresh().state.is_over
        line = standing(job)
        if line != last:
            print(line, flush=True)
            last = line
        for one in job.fields["checkpoints"]:
            if one["complete"] and one["path"] not in seen:
                seen.add(one["path"])
                print(f"checkpoint of step {one['step']}: {one['path']}", flush=True)
        if is_over:
            return
        time.sleep(refresh)


def best_of(checkpoints):
    """The complete checkpoint with the lowest score, or the newest where none has one."""
    whole = [one for one in checkpoints if one["complete"]]
    scored = [one for one in whole if one["score"] is not None]
    return min(scored, key=lambda one: (one["score"], -one["step"])) if scored else max(whole, key=lambda one: one["step"], default=None)


def last_figures(job):
    """(points of the loss, points of the evaluation): waits until those of the last checkpoint have arrived."""
    whole = [one for one in job.fields["checkpoints"] if one["complete"]]
    step = max((one["step"] for one in whole), default=0)
    scored = max((one["step"] for one in whole if one["score"] is not None), default=0)
    deadline = time.monotonic() + LAST_FIGURES_S
    while True:
        losses, scores = curve(job, LOSS), curve(job, "eval/score")
        if all(not least or points and points[-1]["step"] >= least for points, least in ((losses, step), (scores, scored))) or time.monotonic() > deadline:
            return losses, scores
        time.sleep(0.2)


def print_summary(job):
    losses, scores = last_figures(job)
    use = job.fields.get("use") or {}
    best = best_of(job.fields["checkpoints"])
    rows = {"job": f"{job.id} {job.state.value}, exit code {'–' if job.exit_code is None else job.exit_code}, attempts: {job.fields['attempt']}"}
    if losses:
        rows["loss"] = f"{losses[-1]['last']:.3f} at step {losses[-1]['step']}, at most {max(point['max'] for point in losses):.3f}"
    if scores:
        rows["evaluation"] = f"{scores[-1]['last']:.3f} at step {scores[-1]['step']}"
    if best:
        rows["checkpoint"] = f"step {best['step']}, {best['bytes']} bytes" + ("" if best["score"] is None else f", score {best['score']:.3f}")
        rows["model"] = os.path.join(best["path"], "model")
    if use:
        price = f"{use['cost']:.4f} {use['currency']}" if use["currency"] else "no prices are set"
        rows["cost"] = f"{use['gpu_hours']:.4f} GPU-hours, {price}"
    for name, text in rows.items():
        print(f"{name:<12}{text}")


def main():
    options = options_of(sys.argv[1:])
    try:
        job = submit(gpu_platform.Client(), options)
        if options.detach:
            print(job.id)
            return 0
        print(f"{job.id} is submitted", flush=True)
        follow(job, options.refresh)
        print_summary(job)
    except gpu_platform.PlatformError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nThe job keeps running; gpu-platform jobs list shows it.", file=sys.stderr)
        return 130
    if job.state == gpu_platform.JobState.COMPLETED:
        return 0
    print(job.logs(), end="", file=sys.stderr)
    return job.exit_code or 1


if __name__ == "__main__":
    sys.exit(main())
