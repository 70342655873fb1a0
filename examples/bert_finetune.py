#!/usr/bin/env python3
"""Teaches a model to tell praise from complaint, on 200 short sentences (bert_finetune.tsv), with gpu_platform.Trainer.

The model is the best that can be had here, or that of --model:
  transformers       BERT of Hugging Face (not tested); --weights NAME: pretrained ones, else a small one with random weights
  torch              a small encoder of PyTorch's own layers
  words              a weight for each word; standard library only, a second on one core
It supports stops, restarts and the checkpoint signal: after any of them it ends with the same weights as without, on a GPU
as far as its kernels are deterministic; the digest that is printed at the end shows it.  Outside a job its checkpoints are
in the directory `checkpoints`.

Usage: bert_finetune.py [--model words|torch|transformers] [--weights NAME] [--steps N] [--checkpoint-every N] [--pause SECONDS]
"""
import argparse
import hashlib
import importlib.util
import json
import math
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../clients/python"))  # or: pip install
from gpu_platform import Trainer  # noqa: E402

BATCH = 16
LENGTH_MAX = 24  # words of a sentence


def corpus():
    """(sentences to learn from, sentences to test with), each with its class: 1 for praise, 0 for complaint."""
    with open(os.path.join(HERE, "bert_finetune.tsv"), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    sentences = [(words_of(text), int(label)) for label, text in lines]
    return sentences[40:], sentences[:40]


def words_of(text):
    return [word.strip(",:") for word in text.lower().split()]


class Words:
    """Logistic regression on the words of a sentence, by gradient descent with momentum."""

    def __init__(self, vocabulary, _):
        self.weights = {word: 0.0 for word in vocabulary}
        self.speeds = dict(self.weights)

    def score(self, words):
        """The probability of praise.  Words that it has never seen count nothing."""
        total = sum(self.weights.get(word, 0.0) for word in words)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    def learn(self, batch):
        """Makes one step; returns the mean loss before it."""
        loss, gradient = 0.0, dict.fromkeys(self.weights, 0.0)
        for words, label in batch:
            p = self.score(words)
            loss -= math.log(max(p if label else 1 - p, 1e-12)) / len(batch)
            for word in words:
                gradient[word] += (p - label) / len(batch)
        for word, slope in gradient.items():
            self.speeds[word] = 0.9 * self.speeds[word] - 0.05 * slope
            self.weights[word] += self.speeds[word]
        return loss

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump([self.weights, self.speeds], file)

    def load(self, path):
        with open(path, encoding="utf-8") as file:
            self.weights, self.speeds = json.load(file)

    def digest(self):
        return hashlib.sha256(repr(sorted(self.weights.items())).encode()).hexdigest()[:16]


class Torch:
    """An encoder and its optimizer; a GPU if there is one."""

    def __init__(self, vocabulary, weights):
        import torch
        self.torch = torch
        torch.manual_seed(0)
        torch.set_num_threads(1)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.numbers = {word: number for number, word in enumerate(vocabulary, 2)}  # 0: no word, 1: an unknown one
        self.network = self.make_network(len(vocabulary) + 2, weights).to(self.device)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), lr=2e-5 if weights else 1e-3)

    def make_network(self, count, weights):
        torch = self.torch

        class Encoder(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.words = torch.nn.Embedding(count, 32, padding_idx=0)
                self.places = torch.nn.Parameter(0.02 * torch.randn(LENGTH_MAX, 32))
                layer = torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
                self.layers = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
                self.out = torch.nn.Linear(32, 2)

            def forward(self, words):
                """[batch, length] numbers of words -> [batch, 2] scores of the classes."""
                hidden = self.layers(self.words(words) + self.places[:words.shape[1]], src_key_padding_mask=words == 0)
                is_word = (words != 0).unsqueeze(2)
                return self.out((hidden * is_word).sum(1) / is_word.sum(1))

        return Encoder()

    def rows(self, sentences):
        """[batch, length of the longest one] numbers of words."""
        rows = [[self.numbers.get(word, 1) for word in words[:LENGTH_MAX]] for words in sentences]
        return self.torch.tensor([row + [0] * (max(map(len, rows)) - len(row)) for row in rows], device=self.device)

    def classes(self, sentences):
        """[batch, 2] scores."""
        return self.network(self.rows(sentences))

    def score(self, words):
        self.network.eval()
        with self.torch.no_grad():
            return self.classes([words]).softmax(1)[0, 1].item()

    def learn(self, batch):
        self.network.train()
        labels = self.torch.tensor([label for _, label in batch], device=self.device)
        loss = self.torch.nn.functional.cross_entropy(self.classes([words for words, _ in batch]), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def save(self, path):
        self.torch.save({"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}, path)

    def load(self, path):
        saved = self.torch.load(path, map_location=self.device)
        self.network.load_state_dict(saved["network"])
        self.optimizer.load_state_dict(saved["optimizer"])

    def digest(self):
        total = hashlib.sha256()
        for weights in self.network.state_dict().values():
            total.update(weights.cpu().numpy().tobytes())
        return total.hexdigest()[:16]


class Transformers(Torch):
    """BERT; with pretrained weights also their tokenizer."""

    def make_network(self, count, weights):
        import transformers
        if weights:
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(weights)
            return transformers.AutoModelForSequenceClassification.from_pretrained(weights, num_labels=2)
        self.tokenizer = None
        config = transformers.BertConfig(vocab_size=count, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
                                         max_position_embeddings=LENGTH_MAX, num_labels=2)
        return transformers.BertForSequenceClassification(config)

    def classes(self, sentences):
        if self.tokenizer is not None:
            given = self.tokenizer([" ".join(words) for words in sentences], padding=True, truncation=True, return_tensors="pt").to(self.device)
            return self.network(**given).logits
        words = self.rows(sentences)
        return self.network(input_ids=words, attention_mask=(words != 0).long()).logits


MODELS = {"transformers": Transformers, "torch": Torch, "words": Words}


def best_model():
    has = {name: importlib.util.find_spec(name) is not None for name in ("torch", "transformers")}
    return "transformers" if all(has.values()) else "torch" if has["torch"] else "words"


def main():
    parser = argparse.ArgumentParser(description="A small text classifier as a job that may be stopped")
    parser.add_argument("--model", choices=MODELS, default=best_model())
    parser.add_argument("--weights", default="", help="pretrained weights for transformers, such as bert-base-uncased")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--checkpoint-every", type=int, default=50)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds to wait after each step, as for a larger model")
    options = parser.parse_args()
    learned, tested = corpus()
    model = MODELS[options.model](sorted({word for words, _ in learned for word in words}), options.weights)
    random.seed(0)

    def evaluate():
        """(mean loss, accuracy) on sentences that it does not learn from."""
        scores = [(model.score(words), label) for words, label in tested]
        loss = -sum(math.log(max(p if label else 1 - p, 1e-12)) for p, label in scores) / len(scores)
        return loss, {"eval/accuracy": sum((p > 0.5) == (label == 1) for p, label in scores) / len(scores)}

    t = Trainer(steps=options.steps, checkpoint_every=options.checkpoint_every, keep=3, best="min", save=model.save, load=model.load, evaluate=evaluate,
                directory=os.environ.get("GP_CHECKPOINT_DIR", "checkpoints"))
    print(f"{options.model}: {len(learned)} sentences, from step {t.resume()}", flush=True)
    for _ in t:
        if not t.state.get("left"):  # a shuffled epoch, of which a resumed run does the rest
            t.state["left"] = random.sample(range(len(learned)), len(learned))
            t.epoch += 1
        batch, t.state["left"] = t.state["left"][:BATCH], t.state["left"][BATCH:]
        t.log({"train/loss": model.learn([learned[i] for i in batch])})
        time.sleep(options.pause)
    if t.is_stopped:
        print(f"stopped after step {t.step}", flush=True)
        return 143
    loss, metrics = evaluate()
    print(f"loss {loss:.3f}, accuracy {metrics['eval/accuracy']:.3f} after {t.step} steps, weights {model.digest()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
