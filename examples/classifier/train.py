#!/usr/bin/env python3
"""Teaches a classifier the sentences of a CSV file; the program of quick_start.py, and of the step `train` of production_pipeline.py.

  MODEL_NAME     such as bert-base-uncased: pretrained weights if transformers is installed; without it the name is only recorded
  MODEL_KIND     words, torch or transformers; default: the best that is installed
  DATASET_PATH   a CSV file with the columns text and label (1 or 0); every fifth row is for tests
  OUTPUT_DIR     receives the model of the lowest loss (`model`) and the figures (metrics.json)
Its checkpoints are in GP_CHECKPOINT_DIR, else in OUTPUT_DIR/checkpoints: after a stop or a failure it goes on there.
"""
import csv
import json
import math
import os
import random
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, ".."), os.path.join(HERE, "../../clients/python")]  # the latter, or: pip install
from bert_finetune import MODELS, best_model, words_of  # noqa: E402
from gpu_platform import Trainer  # noqa: E402

STEPS, BATCH = 120, 16


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [(words_of(row["text"]), int(row["label"])) for row in csv.DictReader(file)]


def figures_of(model, sentences):
    """(mean loss, accuracy)."""
    scores = [(model.score(words), label) for words, label in sentences]
    loss = -sum(math.log(max(p if label else 1 - p, 1e-12)) for p, label in scores) / len(scores)
    return loss, sum((p > 0.5) == (label == 1) for p, label in scores) / len(scores)


def split(sentences):
    """(those to learn from, those to test with)."""
    return [one for i, one in enumerate(sentences) if i % 5], sentences[::5]


def make_model(learned, kind=None):
    """(its kind, a model that has learned nothing)."""
    kind = kind or os.environ.get("MODEL_KIND") or best_model()
    weights = os.environ.get("MODEL_NAME", "") if kind == "transformers" else ""
    return kind, MODELS[kind](sorted({word for words, _ in learned for word in words}), weights)


def write_whole(path, text):
    """Complete or absent."""
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)


def main():
    output = os.environ.get("OUTPUT_DIR", "output")
    learned, tested = split(rows_of(os.environ.get("DATASET_PATH", "data/train.csv")))
    kind, model = make_model(learned)
    random.seed(0)

    def evaluate():
        loss, accuracy = figures_of(model, tested)
        return loss, {"eval/accuracy": accuracy}

    directory = os.environ.get("GP_CHECKPOINT_DIR") or os.path.join(output, "checkpoints")
    t = Trainer(steps=STEPS, checkpoint_every=STEPS // 4, keep=2, best="min", save=model.save, load=model.load, evaluate=evaluate, directory=directory)
    print(f"{kind}: {len(learned)} sentences, from step {t.resume()}", flush=True)
    loss = math.nan
    for _ in t:
        loss = model.learn(random.sample(learned, min(BATCH, len(learned))))
        t.log({"train/loss": loss})
    if t.is_stopped:
        return 143
    best = os.path.join(directory, "best", "model")
    model.load(best)
    test_loss, accuracy = figures_of(model, tested)
    os.makedirs(output, exist_ok=True)
    shutil.copyfile(best, os.path.join(output, "model.part"))
    os.replace(os.path.join(output, "model.part"), os.path.join(output, "model"))
    figures = {"kind": kind, "model_name": os.environ.get("MODEL_NAME", ""), "steps": t.step, "sentences": len(learned),
               "train_loss": loss if math.isfinite(loss) else None, "test_loss": test_loss, "test_accuracy": accuracy}
    write_whole(os.path.join(output, "metrics.json"), json.dumps(figures, indent=2) + "\n")
    print(f"loss {test_loss:.3f}, accuracy {accuracy:.3f} on {len(tested)} sentences; the model is in {os.path.abspath(output)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
