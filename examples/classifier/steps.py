#!/usr/bin/env python3
"""The steps of production_pipeline.py besides the training, each the program of a job.  Each may be repeated: it replaces
what it left before, and readers see a file complete or not at all.

Usage: steps.py prepare WORK SOURCE | evaluate WORK ACCURACY | publish WORK VERSION
The last line of the output is the result of the step.
"""
import csv
import io
import json
import os
import shutil
import sys

import train


def prepare(work, source):
    """Drops empty and repeated sentences, and sets every fourth one aside for the evaluation."""
    try:
        with open(source, encoding="utf-8") as file:
            lines = [line.rstrip("\n").split("\t") for line in file if line.strip()]
    except OSError as error:
        sys.exit(f"{source}: {error.strerror}")
    rows = list({text.strip().lower(): (text.strip(), label) for label, text in lines if text.strip()}.values())
    os.makedirs(work, exist_ok=True)
    parts = {"test": rows[::4], "train": [row for i, row in enumerate(rows) if i % 4]}
    for name, part in parts.items():
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["text", "label"])
        writer.writerows(part)
        train.write_whole(os.path.join(work, f"{name}.csv"), text.getvalue())
    print(f"{len(parts['train'])} sentences for training, {len(parts['test'])} for evaluation, {len(lines) - len(rows)} dropped")
    return 0


def evaluate(work, least):
    """Measures the model on sentences that the training has not seen; fails below the least accuracy."""
    output = os.path.join(work, "model")
    with open(os.path.join(output, "metrics.json"), encoding="utf-8") as file:
        figures = json.load(file)
    learned, _ = train.split(train.rows_of(os.path.join(work, "train.csv")))
    _, model = train.make_model(learned, figures["kind"])
    model.load(os.path.join(output, "model"))
    tested = train.rows_of(os.path.join(work, "test.csv"))
    loss, accuracy = train.figures_of(model, tested)
    if accuracy < float(least):
        print(f"accuracy {accuracy:.3f} is below {least}")
        return 1
    evaluation = {"loss": loss, "accuracy": accuracy, "sentences": len(tested), "least_accuracy": float(least)}
    train.write_whole(os.path.join(work, "evaluation.json"), json.dumps(evaluation, indent=2) + "\n")
    print(f"accuracy {accuracy:.3f}, loss {loss:.3f} on {len(tested)} sentences")
    return 0


def publish(work, version):
    """Copies the model with all its figures to published/VERSION, and lets the link `current` lead there."""
    place = os.path.join(work, "published", version)
    shutil.rmtree(place + ".part", ignore_errors=True)
    shutil.copytree(os.path.join(work, "model"), place + ".part", ignore=shutil.ignore_patterns("checkpoints"))
    shutil.copy(os.path.join(work, "evaluation.json"), place + ".part")
    shutil.rmtree(place, ignore_errors=True)  # of an attempt that was interrupted
    os.rename(place + ".part", place)
    link = os.path.join(work, "published", "current")
    if os.path.lexists(link + ".part"):
        os.unlink(link + ".part")
    os.symlink(version, link + ".part")
    os.replace(link + ".part", link)
    print(f"version {version}: {place}")
    return 0


STEPS = {step.__name__: step for step in (prepare, evaluate, publish)}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in STEPS:
        sys.exit(__doc__)
    sys.exit(STEPS[sys.argv[1]](*sys.argv[2:]))
