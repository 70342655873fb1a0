#!/usr/bin/env python3
"""A day of machine learning on one machine without a GPU: data, an image, training on two nodes, checkpoints, the loss of a node.

It starts a controller, three simulated nodes and an S3 server, submits job.gpu.yaml, takes a node away while it trains, and checks each
result.  Exit code 0: all checks passed.  It needs root, and only the standard library; everything is below one directory in /var/tmp,
which is removed at the end.

Usage: ml_day.py [--binary FILE] [--keep]
"""
import argparse
import contextlib
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
STEPS, INTERVAL = 300, 50  # as in job.gpu.yaml
NODES = 3
ACCESS_KEY, SECRET_KEY = "lab-key", "only-for-this-day"
ENDED = ("COMPLETED", "FAILED", "CANCELLED")
INTERRUPTED = 130


def client_package():
    """The directory of the Python client: of the source tree, of the installation, or of this Python."""
    places = [HERE / "../../clients/python/gpu_platform", HERE / "../../../../lib/python3/dist-packages/gpu_platform"]
    spec = importlib.util.find_spec("gpu_platform")
    places += [pathlib.Path(place) for place in (spec.submodule_search_locations if spec else [])]
    for place in places:
        if (place / "trainer.py").exists():
            return place.resolve()
    sys.exit("ml_day: the Python client is missing: apt install python3-gpu-platform")


sys.dont_write_bytecode = True  # beside the example
CLIENT = client_package()
sys.path.insert(0, str(CLIENT.parent))
import bucket  # noqa: E402
import cluster  # noqa: E402
import corpus  # noqa: E402
import image  # noqa: E402
import s3_server  # noqa: E402
import train  # noqa: E402
from cluster import Failed, eventually  # noqa: E402


class Story:
    """Says what happens, and counts what was checked."""

    def __init__(self):
        self.begin, self.passed, self.wrong = time.monotonic(), 0, []
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(errors="replace", line_buffering=True)

    def chapter(self, title):
        print(f"\n{time.monotonic() - self.begin:5.1f} s  {title}")

    @staticmethod
    def say(text):
        for line in text.splitlines():
            print(f"         {line}")

    def check(self, is_so, what, otherwise=""):
        """`what` is printed either way; `otherwise`: what was found in its place."""
        if is_so:
            self.passed += 1
            print(f"      ✓  {what}")
            return
        self.wrong.append(f"not so: {what}" + (f" ({otherwise})" if otherwise else ""))
        print(f"      ✗  {what}" + (f": {otherwise}" if otherwise else ""))


class Day:
    def __init__(self, binary, directory):
        self.story, self.directory = Story(), directory
        self.cluster = cluster.Cluster(binary, directory, NODES)
        self.server = s3_server.S3Server(f"{directory}/s3", {ACCESS_KEY: SECRET_KEY})
        self.store = self.job = self.lost = self.expected = None
        self.reached = self.copied = self.first = 0  # steps: reported last and copied last before the loss, and resumed from

    def tell(self):
        self.start_cluster()
        self.upload_corpus()
        self.make_image()
        self.submit()
        self.follow_first_attempt()
        self.lose_a_node()
        self.follow_second_attempt()
        self.judge_checkpoints()
        self.judge_model()
        self.judge_curves()

    def end(self):
        """Ends all processes; what is left is a problem of its own."""
        self.story.wrong += self.cluster.end()
        self.server.stop()

    def start_cluster(self):
        self.story.chapter(f"A cluster: a controller and {NODES} nodes, each a process with a disk of its own")
        nodes = self.cluster.start()
        gpus = sum(len(node["gpus"]) for node in nodes)
        self.story.check(gpus == 8 * NODES, f"{', '.join(node['name'] for node in nodes)} are up, with {gpus} simulated GPUs")

    def upload_corpus(self):
        self.story.chapter("The data: a corpus goes to an S3 server on this machine")
        self.server.start()
        self.store = bucket.Store(self.server.address, ACCESS_KEY, SECRET_KEY)
        os.mkdir(f"{self.directory}/corpus")
        corpus.write_corpus(f"{self.directory}/corpus")
        for name in ("corpora", "ckpt", "results"):
            self.store.make_bucket(name)
        files = sorted(pathlib.Path(self.directory, "corpus").iterdir())
        for file in files:
            self.store.put("corpora", f"letters/{file.name}", file.read_bytes())
        names = self.store.names("corpora")
        self.story.check(names == [f"letters/{file.name}" for file in files], f"s3://corpora has {' and '.join(names)}")
        self.cluster.cli("secrets", "set", "S3", given=json.dumps(
            {"access_key": ACCESS_KEY, "secret_key": SECRET_KEY, "endpoint": self.server.address}))
        listed = self.cluster.cli("secrets", "list")
        self.story.check("S3" in listed and SECRET_KEY not in listed, "its keys are the secret S3, which the job names and never sees")

    def make_image(self):
        self.story.chapter("The image: Python and train.py, from files of this machine, as an OCI layout")
        python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
        size = image.make_image(f"{self.directory}/image", "v1", python, str(HERE / "train.py"), [str(CLIENT)])
        self.story.say(f"one layer, {size / 1e6:.0f} MB")

    def submit(self):
        self.story.chapter("The job: job.gpu.yaml, two nodes with eight GPUs each")
        text = (HERE / "job.gpu.yaml").read_text(encoding="utf-8").replace("/var/tmp/ml-day", self.directory)
        path = pathlib.Path(self.directory, "job.gpu.yaml")
        path.write_text(text, encoding="utf-8")
        self.job = self.cluster.cli("-q", "jobs", "submit", str(path)).strip()
        self.story.say(f"$ gpu-platform jobs submit job.gpu.yaml\n{self.job}")

    def described(self):
        return self.cluster.json("jobs", "describe", self.job)

    def running(self):
        """The job as described.  Failed: it has ended, though it should not have."""
        job = self.described()
        if job["state"] in ENDED or job["retries_used"]:  # the loss of a node uses up no retry
            raise Failed("\n".join([f"{self.job} is {job['state']}: {self.cluster.cli('jobs', 'describe', self.job)}",
                                    *(self.output(rank, "--stderr") for rank in (0, 1))]))
        return job

    def ended(self):
        job = self.described()
        return job if job["state"] in ENDED or job["retries_used"] else None

    def output(self, rank, *flags):
        return self.cluster.cli("jobs", "logs", self.job, "--rank", str(rank), *flags)

    def nodes_of(self, attempt):
        """By rank."""
        return [rank["node"] for rank in sorted(attempt["ranks"], key=lambda rank: rank["rank"])]

    def follow_first_attempt(self):
        self.story.chapter("It fetches its data and trains; each checkpoint is copied to s3://ckpt")

        def trains():
            return "from step" in (self.output(0) if self.running()["state"] == "RUNNING" else "")
        eventually(trains, "the training begins")
        job = self.described()
        nodes = self.nodes_of(job["attempts"][0])
        self.story.check(len(set(nodes)) == 2, f"rank 0 runs on {nodes[0]}, rank 1 on {nodes[1]}")
        self.story.check(bool(job.get("image_digest")), f"both have the image {job.get('image_digest', '')[:19]}…", "no digest")

        def copied():
            checkpoints = self.running().get("checkpoints", [])
            return checkpoints if len(checkpoints) >= 2 else None
        checkpoints = eventually(copied, "two checkpoints are copied")
        steps = [one["step"] for one in checkpoints]
        self.story.check(set(steps) >= {INTERVAL, 2 * INTERVAL}, f"checkpoints of steps {steps} are copied", f"{steps}")
        self.story.check(len(self.copies()) >= 2, f"the bucket has {', '.join(self.copies())}")

    def copies(self):
        """Names of the complete copies of checkpoints in the bucket."""
        names = self.store.names("ckpt")
        return sorted(name.rpartition("/")[0] for name in names if name.endswith("/.gp-manifest"))

    def between_checkpoints(self):
        """The job as described, once it has trained on for some steps since its newest checkpoint; None before."""
        job = self.running()
        return job if job["progress"]["step"] >= max(one["step"] for one in job["checkpoints"]) + INTERVAL // 4 else None

    def lose_a_node(self):
        job = eventually(self.between_checkpoints, "it trains on")
        self.lost = self.nodes_of(job["attempts"][0])[0]
        self.reached, self.copied = job["progress"]["step"], max(one["step"] for one in job["checkpoints"])
        self.story.chapter(f"{self.lost} burns down: its agent, its rank and its disk with the checkpoints are gone")
        ended = self.cluster.lose(int(self.lost.rpartition("-")[2]))
        self.story.say(f"{ended} processes were killed")

        def resumed():
            attempts = self.running()["attempts"]
            return attempts[-1] if len(attempts) > 1 and "attempt 2" in self.output(0) else None
        attempt = eventually(resumed, "the job resumes on other nodes")
        nodes = self.nodes_of(attempt)
        self.story.check(self.lost not in nodes and len(set(nodes)) == 2, f"the job runs again, on {' and '.join(nodes)}")
        first = self.described()["attempts"][0]
        self.story.check((first.get("end_class"), first.get("charged_to")) == ("node-lost", "hardware"),
                         "the first attempt ended as node-lost, which is charged to the hardware and costs none of the job's retries", str(first))

    def follow_second_attempt(self):
        first = self.first = next(int(line.split()[-1]) for line in self.output(0).splitlines() if "attempt 2" in line)
        reached = max([first, self.reached, *(point["step"] for point in self.points("train/loss", 1))])
        self.story.check(first >= self.copied, f"it resumed from the copy of step {first}, which it fetched from the bucket", f"step {self.copied} was copied")
        self.story.check(reached - first <= INTERVAL, f"{reached - first} steps are computed twice, at most the {INTERVAL} between two checkpoints")
        self.story.chapter("It trains on to its end")
        job = eventually(self.ended, "the job ends")
        self.story.check(job["state"] == "COMPLETED", f"{self.job} is completed", self.cluster.cli("jobs", "describe", self.job))
        self.story.say(self.output(0).splitlines()[-1])

    def judge_checkpoints(self):
        self.story.chapter("What is left in the bucket: the newest two checkpoints and the best one")
        _, _, scores = self.expected = undisturbed(f"{self.directory}/corpus")
        best = min(scores, key=scores.get)
        expected = sorted({best, *sorted(scores)[-2:]})
        self.story.say("  ".join(f"{step}: {score:.4f}" for step, score in sorted(scores.items())) + "   (loss on held-out text)")
        kept = sorted(json.loads(self.store.get("ckpt", f"{copy}/trainer.json"))["step"] for copy in self.copies())
        self.story.check(kept == expected, f"copies of steps {expected} are left; the best is that of step {best}", f"{kept} are left")
        known = sorted(one["step"] for one in self.described().get("checkpoints", []))
        self.story.check(known == expected, "the controller knows the same ones", f"{known}")

    def judge_model(self):
        self.story.chapter("The model: both ranks taught it, and the loss of the node did not change it")
        found = {name.partition("/")[2] for name in self.store.names("results", f"{self.job}/")} - {".gp-manifest"}
        found = {name for name in found if not name.endswith("/.gp-manifest")}
        self.story.check(found == {"rank-0/model.json", "rank-0/pairs.json", "rank-1/pairs.json"}, f"s3://results/{self.job} has {', '.join(sorted(found))} of both nodes")
        pairs, weights, _ = self.expected
        taught = [self.result(f"rank-{rank}/pairs.json").get("pairs") for rank in (0, 1)]
        self.story.check(taught == pairs, f"rank 0 taught it {pairs[0]} pairs of letters, rank 1 {pairs[1]}", f"{taught}")
        self.story.check(self.result("rank-0/model.json") == weights, "its weights are exactly those of a run that nothing interrupted")

    def result(self, name):
        """What the artifact holds; {}: it is not there."""
        try:
            return json.loads(self.store.get("results", f"{self.job}/{name}"))
        except OSError:
            return {}

    def judge_curves(self):
        self.story.chapter("The curves: one over both attempts")
        with contextlib.suppress(Failed):  # the checks say what is missing
            eventually(lambda: STEPS in self.scores(), "the last points arrive", 10)
        self.story.say(f"$ gpu-platform jobs metrics {self.job}\n{self.cluster.cli('jobs', 'metrics', self.job).rstrip()}")
        loss, scores = self.points("train/loss"), self.scores()
        attempts = sorted({point["attempt"] for point in loss})
        self.story.check(attempts == [1, 2], "the curve of the loss has points of both attempts", f"of the attempts {attempts}")
        losses = [point["last"] for point in loss] or [0.0]
        self.story.check(losses[-1] < losses[0], f"the loss fell from {losses[0]:.2f} to {losses[-1]:.2f}")
        # The points of a node's last second are lost with it.
        expected = {step: score for step, score in self.expected[2].items() if step in scores or step != self.first}
        self.story.check(scores == expected, "the scores of the checkpoints are on it, each once", f"{scores}")

    def scores(self):
        """By step."""
        return {point["step"]: point["last"] for point in self.points("eval/score")}

    def points(self, metric, attempt=None):
        """Of rank 0, in the order of steps; with `attempt`: all that it reported, also what a later one computed again."""
        series = self.cluster.json("jobs", "metrics", self.job, metric, *(["--superseded"] if attempt else [])).get("series", [])
        points = [point for one in series for point in one["points"] if one["rank"] == 0 and attempt in (None, point["attempt"])]
        return sorted(points, key=lambda point: point["step"])


def undisturbed(directory):
    """The pairs by rank and the weights after all steps of the job, and the scores by step, all computed here."""
    model, text, pairs, scores = train.Model(), train.Corpus(directory), [0, 0], {}
    for step in range(1, STEPS + 1):
        answers = [model.judge(text.batch(step, rank, 2)) for rank in (0, 1)]
        model.learn(answers, train.RATE)
        pairs = [sum(both) for both in zip(pairs, (answer[0] for answer in answers))]
        if step % INTERVAL == 0:
            scores[step] = model.mean_loss(text.heldout)
    return pairs, model.weights, scores


def interrupt(*_):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the end must not be interrupted
    raise KeyboardInterrupt


def run(binary, directory):
    """The story, and its exit code.  Whatever happens, its processes end."""
    day, is_interrupted = Day(binary, directory), False
    try:
        day.tell()
    except KeyboardInterrupt:
        is_interrupted = True
    except (Failed, OSError, ValueError, LookupError, subprocess.SubprocessError) as error:
        day.story.wrong.append(f"{type(error).__name__}: {error}" if not isinstance(error, Failed) else str(error))
        day.story.wrong += day.cluster.log()
    finally:
        with contextlib.suppress(KeyboardInterrupt):
            day.end()
    if is_interrupted:
        print("\ninterrupted; all that was started has ended")
        return INTERRUPTED
    if day.story.wrong:
        print(f"\n{day.story.passed} checks passed, but:")
        day.story.say("\n".join(day.story.wrong))
        return 1
    print(f"\nall {day.story.passed} checks passed")
    return 0


def main():
    parser = argparse.ArgumentParser(description="A day of machine learning on one machine, each step checked")
    parser.add_argument("--binary", default="gpu-platform", help="the program; default: gpu-platform of PATH")
    parser.add_argument("--keep", action="store_true", help="keep the directory with logs, bucket and state")
    options = parser.parse_args()
    binary = shutil.which(options.binary)
    if os.geteuid() != 0:
        sys.exit("ml_day: run it as root: jobs in images need it")
    if binary is None:
        sys.exit(f"ml_day: {options.binary}: no such program")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    # Not in /tmp: jobs have one of their own.
    directory = tempfile.mkdtemp(prefix="gp-ml-day.", dir="/var/tmp")
    os.chmod(directory, 0o755)
    try:
        code = run(os.path.abspath(binary), directory)
    finally:
        if options.keep:
            print(f"kept: {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)
    if not options.keep and os.path.exists(directory):
        print(f"{directory} could not be removed")
        code = code or 1
    sys.exit(code)


if __name__ == "__main__":
    main()
