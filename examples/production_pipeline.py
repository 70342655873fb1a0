#!/usr/bin/env python3
"""A pipeline of four jobs, each of which depends on the one before: prepare the data, train, evaluate, publish.

Only the training needs a GPU.  A step that fails is repeated, and the training goes on from its checkpoint; an evaluation
below --accuracy is not repeated, and nothing is published.  The steps hand over files in the directory --work, which all
nodes must see.  With --publish-to the platform also copies the published version to a store: s3://…, gs://… or file:///….

Usage: production_pipeline.py [--work DIR] [--accuracy A] [--publish-to URL [--credentials SECRET]] [--fail-once STEP]
Exit code: 0 if all steps completed, 1 if one did not, 130 after Ctrl-C, which leaves the jobs running.
"""
import argparse
import os
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../clients/python"))  # or: pip install
import gpu_platform  # noqa: E402

STEPS = ("prepare", "train", "evaluate", "publish")
PROGRAMS = os.path.join(HERE, "classifier")
# The first attempt does the work, and fails at its end.
FAILS_ONCE = '"$@" && [ "$GP_ATTEMPT" != 1 ]'


def options_of(arguments):
    parser = argparse.ArgumentParser(description="Prepares data, trains, evaluates and publishes a model by four jobs")
    parser.add_argument("--name", default="pipeline", help="the jobs are NAME-prepare, NAME-train, …")
    parser.add_argument("--work", default="pipeline", help="directory for all files, which all nodes see (default: ./pipeline)")
    parser.add_argument("--source", default=os.path.join(HERE, "bert_finetune.tsv"), help="lines of LABEL, a tab and TEXT")
    parser.add_argument("--gpus", type=int, default=1, help="for the training")
    parser.add_argument("--model", choices=("words", "torch", "transformers"), default="words")
    parser.add_argument("--accuracy", type=float, default=0.8, help="the least that is published")
    parser.add_argument("--retries", type=int, default=2, help="restarts of a step that fails")
    parser.add_argument("--backoff", type=float, default=1.0, metavar="SECONDS", help="before the first restart; it doubles each time")
    parser.add_argument("--publish-to", default="", metavar="URL", help="the published version is copied below it")
    parser.add_argument("--credentials", default="", metavar="SECRET", help="of that store (gpu-platform secrets set)")
    parser.add_argument("--fail-once", choices=STEPS, default="", metavar="STEP", help="its first attempt fails, to see that it is repeated")
    parser.add_argument("--refresh", type=float, default=1.0, metavar="SECONDS")
    return parser.parse_args(arguments)


def specs_of(options, version):
    """By step: the words of its command, and what its job asks for."""
    work = os.path.abspath(options.work)
    program = ["python3", "-B", os.path.join(PROGRAMS, "steps.py")]
    published = {"from": os.path.join(work, "published", version), "to": options.publish_to.rstrip("/") + "/" + version, "credentials": options.credentials}
    return {
        "prepare": ([*program, "prepare", work, os.path.abspath(options.source)], {"gpus": 0}),
        "train": (["python3", "-B", os.path.join(PROGRAMS, "train.py")], {
            "gpus": options.gpus, "preemptible": True, "checkpoint_directory": os.path.join(work, f"checkpoints-{version}"), "checkpoint_keep": 2,
            "environment": {"DATASET_PATH": os.path.join(work, "train.csv"), "OUTPUT_DIR": os.path.join(work, "model"), "MODEL_KIND": options.model},
            "more": {"checkpoint_best": 1, "checkpoint_signal": int(signal.SIGUSR1)}}),
        "evaluate": ([*program, "evaluate", work, str(options.accuracy)], {
            "gpus": 0, "more": {"on_log": [{"pattern": "^accuracy .* is below ", "action": "stop_retries"}]}}),
        "publish": ([*program, "publish", work, version], {"gpus": 0, "more": {"artifacts": [published]} if options.publish_to else {}})}


def submit(client, options, version):
    """The jobs by step.  Where one is refused, those before it are stopped."""
    jobs = {}
    retry = {"retries_max": options.retries, "on_failure": options.retries > 0, "backoff_min_ms": round(options.backoff * 1000), "backoff_max_ms": 60_000}
    try:
        for step, (command, asks) in specs_of(options, version).items():
            if step == options.fail_once:
                command = ["sh", "-c", FAILS_ONCE, "sh", *command]
            more = {"retry": retry, **asks.get("more", {})}
            jobs[step] = client.submit(command, **{**asks, "more": more}, name=f"{options.name}-{step}", directory=PROGRAMS,
                                       labels={"pipeline": options.name, "version": version}, after=[job.id for job in list(jobs.values())[-1:]])
    except gpu_platform.PlatformError:
        for job in jobs.values():
            job.stop(force=True)
        raise
    return jobs


def follow(jobs, refresh):
    """Prints each change of a step, until all are over."""
    seen = {}
    while True:
        for step, job in jobs.items():
            job.refresh()
            now = (job.state, job.fields["attempt"], job.fields["retries_used"])
            if seen.get(step) != now:
                seen[step] = now
                attempt = f", attempt {job.fields['attempt']}" if job.fields["attempt"] > 1 else ""
                print(f"{step:<9} {job.id:<8} {job.state.value}{attempt}" + (f": {job.reason}" if job.reason else ""), flush=True)
        if all(job.state.is_over for job in jobs.values()):
            return
        time.sleep(refresh)


def result_of(job):
    """The last line that it printed; of a step that never ran, why."""
    lines = job.output().decode(errors="replace").splitlines() if job.fields["attempt"] else []
    return lines[-1] if lines else job.reason


def print_summary(jobs):
    print(f"\n{'STEP':<10}{'JOB':<9}{'STATE':<11}{'ATTEMPTS':<10}{'SECONDS':<9}RESULT")
    for step, job in jobs.items():
        print(f"{step:<10}{job.id:<9}{job.state.value:<11}{job.fields['attempt']:<10}{job.fields['run_seconds']:<9.1f}{result_of(job)}")
    uses = [job.fields["use"] for job in jobs.values() if job.fields.get("use")]
    currency = next((use["currency"] for use in uses if use["currency"]), "")
    print(f"{sum(use['gpu_hours'] for use in uses):.4f} GPU-hours" + (f", {sum(use['cost'] for use in uses):.4f} {currency}" if currency else ""))


def print_errors(jobs):
    for step, job in jobs.items():
        if job.state == gpu_platform.JobState.FAILED:
            print(f"\n{step} failed: {job.reason}\n{job.logs()}", end="", file=sys.stderr)


def main():
    options = options_of(sys.argv[1:])
    version = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    try:
        jobs = submit(gpu_platform.Client(), options, version)
        follow(jobs, options.refresh)
        print_summary(jobs)
        print_errors(jobs)
    except gpu_platform.PlatformError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nThe jobs keep running; gpu-platform jobs list shows them.", file=sys.stderr)
        return 130
    return 0 if all(job.state == gpu_platform.JobState.COMPLETED for job in jobs.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
