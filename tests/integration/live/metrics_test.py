#!/usr/bin/python3
"""Metrics that jobs report of their training, on a real controller, agents, supervisors and jobs."""

import csv
import json
import math
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess

from live_platform import ClusterTest, Events, UnixConnection, eventually, main

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Reports a loss a step; from its second attempt on it resumes at step 3.
TRAINS = """
import os, time
from gpu_platform import training
first = 3 if int(os.environ["GP_ATTEMPT"]) > 1 else 1
for step in range(first, first + 5):
    training.metric(step, {"train/loss": 1 / step, "lr": 3e-4})
    time.sleep(0.05)
open(os.environ["MARK"] + os.environ["GP_ATTEMPT"], "w").close()
while not os.path.exists(os.environ["MARK"] + "end"): time.sleep(0.05)
"""


# Another implementation of what TensorBoard reads, from the description of TFRecords and of protobuf's wire format.

def crc32c(data, table=[]):
    if not table:
        for byte in range(256):
            for _ in range(8):
                byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
            table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(path):
    """What the file's records hold; fails on a wrong checksum or a torn record."""
    rest = pathlib.Path(path).read_bytes()
    while rest:
        length, of_length = struct.unpack("<QI", rest[:12])
        assert of_length == masked(rest[:8]), f"{path}: checksum of a length"
        data, [of_data] = rest[12:12 + length], struct.unpack("<I", rest[12 + length:16 + length])
        assert len(data) == length and of_data == masked(data), f"{path}: checksum of {data}"
        rest = rest[16 + length:]
        yield data


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """{number: value} of a message without repeated fields: integers, and bytes."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        size = {1: 8, 5: 4}.get(key & 7)
        if key & 7 == 2:
            size, at = varint(data, at)
        if key & 7 == 0:
            found[key >> 3], at = varint(data, at)
        else:
            found[key >> 3], at = data[at:at + size], at + size
    return found


def by_protoc(data):
    """The same by protoc: {path of field numbers: text}."""
    text = subprocess.run(["protoc", "--decode_raw"], input=data, capture_output=True, check=True).stdout.decode()
    found, path = {}, []
    for line in text.splitlines():
        line = line.strip()
        if line.endswith("{"):
            path.append(line[:-1].strip())
        elif line == "}":
            path.pop()
        else:
            number, value = line.split(": ", 1)
            found[".".join([*path, number])] = value
    return found


def scalars(path):
    """[(tag, step, value, seconds)] of an event file, each record read twice: by this reader and by protoc, where it is installed."""
    [head, *events] = records(path)
    assert fields(head)[3] == b"brain.Event:2", head
    found = []
    for data in events:
        event = fields(data)
        value = fields(fields(event[5])[1])
        [number] = struct.unpack("<f", value[2])
        [seconds] = struct.unpack("<d", event[1])
        found.append((value[1].decode(), event.get(2, 0), number, seconds))
        if shutil.which("protoc"):
            raw = by_protoc(data)
            assert json.loads(raw["5.1.1"]) == value[1].decode(), raw
            assert int(raw.get("2", "0")) == event.get(2, 0), raw
            assert struct.pack("<I", int(raw["5.1.2"], 16)) == value[2], raw
            assert struct.pack("<Q", int(raw["1"], 16)) == event[1], raw
    return found


def same(one, other):
    """Equal as floats of 32 bits; NaN is equal to itself."""
    return math.isnan(one) and math.isnan(other) or struct.pack("<f", one) == struct.pack("<f", other)


class Metrics(ClusterTest):
    options = {"nodes": 2}

    def job(self, run, **keys):
        env = {"PYTHONPATH": str(ROOT / "clients/python"), "MARK": os.path.join(self.cluster.shared, "mark")}
        return self.cli.submit({"name": "trainer", "run": run, "resources": {"gpus": 1}, "env": env, **keys})[0]

    def series(self, job, *words):
        return {one["name"]: one for one in self.cli("jobs", "metrics", job, *words, "-o", "json").json.get("series", [])}

    def await_last(self, job, name, field, value):
        eventually(lambda: self.series(job).get(name, {}).get("last", {}).get(field) == value, lambda: f"{field} {value} of {name}: {self.series(job)}")

    def points(self, job, name, *words):
        return [(point["step"], point["attempt"]) for point in self.series(job, *words).get(name, {}).get("points", [])]

    # Reports the values one by one, and saves what it has when it is stopped.
    REPORTS = """
import os, signal, sys, time
from gpu_platform import training
def save(*_):
    print("saved", flush=True)
    sys.exit(0 if os.environ["GP_ATTEMPT"] == "2" else 1)
signal.signal(signal.SIGTERM, save)
for step, value in enumerate(sys.argv[1:]):
    training.metric(step, {"train/loss": float(value)})
    time.sleep(0.02)
    if os.environ["GP_ATTEMPT"] == "2": sys.exit(0)
while True: time.sleep(1)
"""

    def ended(self, rules, *values, **keys):
        job = self.job(["python3", "-c", self.REPORTS, *values], on_metric=rules, **keys)
        self.cli.wait(job)
        return job, self.cli.job(job)

    def test_rules_end_a_job_as_they_say(self):
        job, seen = self.ended({"train/loss is nan": "stop"}, "3", "nan", "4", retry={"max": 3, "on": ["failure", "node_failure", "gpu_error", "preempted"]})
        self.assertEqual((seen["state"], seen["attempt"], seen["attempts"][0]["end_class"]), ("FAILED", 1, "metric"))
        self.assertIn("train/loss is nan at step 1: on_metric says stop", self.cli("jobs", "describe", job).ok().out)
        self.assertIn("saved", self.cli("jobs", "logs", job).ok().out)
        _, seen = self.ended({"train/loss < 0.5": "complete"}, "3", "0.25")
        self.assertEqual((seen["state"], seen["exit_code"], seen["reason"]), ("COMPLETED", 0, "train/loss = 0.25 at step 1: on_metric says complete"))
        _, seen = self.ended({"train/loss > 100": "restart"}, "3", "1e3")
        self.assertEqual((seen["state"], seen["attempt"], seen["retries_used"]), ("COMPLETED", 2, 1))
        _, seen = self.ended({"train/loss > 1": "complete", "train/acc < 3": "stop"}, "1", "7", nodes=2)
        self.assertEqual(seen["state"], "COMPLETED")
        self.assertRegex(seen["reason"], r"^rank [01]: train/loss = 7 at step 1: on_metric says complete$")

    def test_a_job_that_is_done_has_all_that_it_reported(self):
        job = self.job('for i in 1 2 3; do echo "metric step=$i train/loss=0.$i eval/acc=1e-$i" > $GP_REPORT; done')
        self.cli("jobs", "wait", job).ok()
        self.await_last(job, "train/loss", "last", 0.3)
        loss = self.series(job)["train/loss"]
        self.assertEqual(sum(int(point["count"]) for point in loss["points"]), 3)
        self.assertEqual(min(point["min"] for point in loss["points"]), 0.1)
        self.assertEqual(self.series(job)["eval/acc"]["last"]["last"], 0.001)
        self.assertEqual(set(self.series(job, "eval/acc")), {"eval/acc"})
        table = self.cli("jobs", "metrics", job).ok().out
        self.assertRegex(table, r"train/loss +0 +3 +0\.3 +0\.1 +0\.3")
        csv = self.cli("jobs", "metrics", job, "eval/acc", "-o", "csv").ok().out.splitlines()
        self.assertEqual(csv[0], "metric,rank,attempt,step,at,count,min,max,last")
        self.assertTrue(csv[-1].startswith("eval/acc,0,1,3,"), csv[-1])

    def test_a_lost_node_does_not_take_the_curve_with_it(self):
        job = self.job(["python3", "-c", TRAINS], on_lease_loss="stop")
        mark = os.path.join(self.cluster.shared, "mark")
        eventually(lambda: os.path.exists(mark + "1"), "the first attempt")
        self.await_last(job, "train/loss", "step", 5)
        node = self.cli.job(job)["attempts"][-1]["ranks"][0]["node"]
        self.cluster.agent_of(node).kill()
        eventually(lambda: os.path.exists(mark + "2"), "the second attempt")
        self.await_last(job, "train/loss", "step", 7)
        shown = self.points(job, "train/loss")
        first_again = min(step for step, attempt in shown if attempt == 2)
        self.assertTrue(all(step < first_again for step, attempt in shown if attempt == 1), shown)
        self.assertIn((5, 1), self.points(job, "train/loss", "--superseded"))
        self.cluster.agent_of(node).start()  # it ends what still runs there
        open(mark + "end", "w").close()
        self.cli("jobs", "wait", job).ok()

    def test_nan_is_told_with_its_step(self):
        job = self.job('for v in 0.5 0.4 nan nan; do i=$((i+1)); echo "metric step=$i loss=$v" > $GP_REPORT; done; sleep 60')
        eventually(lambda: self.series(job).get("loss", {}).get("not_finite_since") == 3, "NaN")
        self.assertIn("loss is nan since step 3", self.cli("jobs", "metrics", job).ok().err)
        self.assertEqual(self.series(job)["loss"]["last"]["not_finite"], "nan")
        self.assertRegex(self.cli("jobs", "describe", job).ok().out, r"(?m)^Metrics +loss is nan since step 3$")
        self.assertEqual(self.cli.job(job)["not_finite"], [{"name": "loss", "value": "nan", "since": 3, "rank": 0, "ranks": 1}])
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "it runs")
        explained = self.cli("jobs", "explain", job)
        self.assertEqual(explained.err, f"error: {job} is RUNNING; only a queued job can be explained; loss is nan since step 3\n")
        viewer = self.cli.by_token(self.cli.json("tokens", "create", "viewer", "--role", "viewer")["secret"])
        self.assertEqual(viewer.job(job)["not_finite"], [], "who may not read its metrics")
        self.assertNotIn("nan", viewer("jobs", "explain", job).err)
        self.cli("jobs", "cancel", job).ok()
        self.assertIn("loss is nan since step 3", self.cli("jobs", "describe", job).ok().out)

    def test_nan_of_many_ranks_is_told_once_and_forgotten_with_the_next_number(self):
        job = self.job('echo "metric step=4 loss=nan" > $GP_REPORT; while ! [ -e $MARK ]; do sleep 0.1; done; echo "metric step=5 loss=1" > $GP_REPORT; sleep 60', nodes=2)
        eventually(lambda: [one["ranks"] for one in self.cli.job(job)["not_finite"]] == [2], "both ranks")
        self.assertIn("loss is nan since step 4, on 2 ranks", self.cli("jobs", "describe", job).ok().out)
        open(os.path.join(self.cluster.shared, "mark"), "w").close()
        eventually(lambda: self.cli.job(job)["not_finite"] == [], "numbers again")
        self.cli("jobs", "cancel", job).ok()

    # Links.

    def test_links_are_shown_with_the_job(self):
        job = self.job('sleep 1; echo "link wandb=https://wandb.ai/ana/r1" > $GP_REPORT; echo "link bad=javascript:alert(1)" > $GP_REPORT; sleep 60')
        shown = [{"name": "wandb", "url": "https://wandb.ai/ana/r1"}]
        page = self.sse(f"/api/v1/jobs/{job}/events")  # the stream sends also what does not change the job
        while (event := page.next())[2]["links"] != shown:
            self.assertEqual(event[2]["links"], [])
        self.assertEqual(event[2]["state"], "RUNNING")
        self.assertEqual(self.cli.job(job)["links"], shown)
        described = self.cli("jobs", "describe", job).ok().out
        self.assertRegex(described, r"(?m)^Link +wandb https://wandb.ai/ana/r1$")
        self.assertIn('"bad=javascript:alert(1)": a link begins with https:// or http:// and a host', described)
        viewer = self.cli.by_token(self.cli.json("tokens", "create", "viewer", "--role", "viewer")["secret"])
        self.assertEqual(viewer.job(job)["links"], [])
        self.assertEqual(self.series(job), {})
        self.cli("jobs", "cancel", job).ok()
        self.cluster.controller.kill()
        self.cluster.start_controller()
        self.assertEqual(self.cli.job(job)["links"], shown, "after the job's end and a restart")

    def test_the_client_reports_links_and_the_newest_attempt_counts(self):
        job = self.job(["python3", "-c", """
import os, sys
from gpu_platform import training
training.link("run", "https://wandb.ai/r" + os.environ["GP_ATTEMPT"])
sys.exit(int(os.environ["GP_ATTEMPT"]) == 1)
"""], retry={"max": 1})
        self.cli("jobs", "wait", job).ok()
        eventually(lambda: self.cli.job(job)["links"] == [{"name": "run", "url": "https://wandb.ai/r2"}], lambda: self.cli.job(job)["links"])

    # Server-sent events.

    def sse(self, path, **headers):
        events = Events(UnixConnection(f"{self.cluster.run_directory}/http.sock", 60), path, {name.replace("_", "-"): value for name, value in headers.items()})
        self.addCleanup(events.close)
        return events

    def test_events_have_each_point_once_and_resume(self):
        job = self.job('for i in $(seq 8); do echo "metric step=$i loss=0.$i lr=0.1" > $GP_REPORT; sleep 1.1; done; echo "metric step=9 loss=nan" > $GP_REPORT')
        path, seen, last = f"/api/v1/jobs/{job}/metrics/events", [], {}
        for breaks in (True, True, False):  # cut off twice, once with the controller
            events = self.sse(path, **last)
            self.assertEqual((events.status, events.reply.getheader("Content-Type")), (200, "text/event-stream"))
            for name, kind, data in iter(events.next, None):
                if kind == "end":
                    break
                self.assertEqual((kind, name), ("points", data["position"]))
                self.assertRegex(name, r"^1\.0-\d+$")
                last = {"Last_Event_ID": name}
                seen += [(series["name"], point["step"], point["last"], point["not_finite"]) for series in data["series"] for point in series["points"]]
                if breaks:
                    break
            events.close()
            if breaks and len(seen) < 6:
                self.cluster.controller.kill()
                self.cluster.start_controller()
        self.assertEqual(kind, "end")
        self.assertEqual(self.cli.job(job)["state"], "COMPLETED")
        expected = [(name, point["step"], point["last"], point["not_finite"]) for name, series in self.series(job).items() for point in series["points"]]
        self.assertEqual(sorted(seen, key=str), sorted(expected, key=str))
        self.assertIn(("loss", 9, None, "nan"), seen)
        # After the end: all again, or what was asked for.
        again = [data for _, kind, data in iter(self.sse(f"{path}?names=lr").next, None) if kind == "points"]
        self.assertEqual({series["name"] for data in again for series in data["series"]}, {"lr"})
        self.assertEqual([kind for _, kind, _ in iter(self.sse(path, **last).next, None)], ["end"])

    def test_events_mistakes_are_told(self):
        job = self.job('echo "metric step=1 loss=0.5" > $GP_REPORT')
        self.cli("jobs", "wait", job).ok()
        self.await_last(job, "loss", "step", 1)
        path = f"/api/v1/jobs/{job}/metrics/events"
        for wrong, told in (("nonsense", "is not a position in a job's metrics, such as 1.0-4096"), ("1.0-3", "byte 3 is no end of a line")):
            events = self.sse(path, Last_Event_ID=wrong)
            self.assertEqual(events.status, 400)
            self.assertIn(told, json.loads(events.reply.read())["detail"])
        self.assertEqual(self.sse("/api/v1/jobs/job-999/metrics/events").status, 404)
        self.assertEqual(self.sse(f"{path}?points=5").status, 400)

    def test_what_is_no_metric_is_told_and_the_rest_counts(self):
        job = self.job('echo "metric step=4 loss=tensor(0.5) acc=0.25" > $GP_REPORT; sleep 60')
        self.await_last(job, "acc", "step", 4)
        self.assertEqual(set(self.series(job)), {"acc"})
        self.assertEqual(self.cli.job(job)["progress"]["step"], 4)
        self.assertIn('"loss=tensor(0.5)": a metric is a number', self.cli("jobs", "describe", job).ok().out)
        self.cli("jobs", "cancel", job).ok()

    def test_a_controller_and_an_agent_that_restart_lose_nothing(self):
        job = self.job('for i in $(seq 200); do echo "metric step=$i loss=$i" > $GP_REPORT; sleep 0.02; done; sleep 60')
        eventually(lambda: self.series(job), "the first metric")
        self.cluster.controller.kill()
        for agent in self.cluster.agents:
            agent.kill()
        self.cluster.start_controller()
        for agent in self.cluster.agents:
            agent.start()
        self.await_last(job, "loss", "last", 200)
        self.assertEqual(sum(int(point["count"]) for point in self.series(job)["loss"]["points"]), 200)
        self.cli("jobs", "cancel", job).ok()

    def test_mistakes_are_told(self):
        job = self.job("true")
        self.cli("jobs", "wait", job).ok()
        self.assertIn("no metrics yet", self.cli("jobs", "metrics", job).ok().err)
        self.assertIn("points: a number from 1 to 100000", self.cli("jobs", "metrics", job, "--points", "-1").err)
        self.assertIn("no job", self.cli("jobs", "metrics", "999999").err)

    # Event files for TensorBoard.

    def events(self, run):
        """{run below the directory: its event file}."""
        return {str(path.parent.relative_to(run)): path for path in pathlib.Path(run).rglob("*tfevents*")}

    def write_events(self, job, *words):
        directory = os.path.join(self.cluster.directory, "board")
        answer = self.cli("jobs", "metrics", job, "--tensorboard", directory, *words).ok()
        files = self.events(directory)
        self.assertEqual(sorted(answer.lines), sorted(map(str, files.values())))
        return files

    def test_tensorboard_has_each_point(self):
        job = self.job('for v in 0.5 0.1 nan inf -inf 1e-9; do echo "metric step=$i loss=$v lr=3e-4" > $GP_REPORT; i=$((i+1)); sleep 1.1; done')
        self.cli("jobs", "wait", job).ok()
        self.await_last(job, "loss", "last", 1e-9)
        self.await_last(job, "lr", "step", 5)
        files = self.write_events(job)
        self.assertEqual(list(files), [f"{job}-trainer"])
        found = scalars(files[f"{job}-trainer"])
        points = [row for row in csv.DictReader(self.cli("jobs", "metrics", job, "-o", "csv").ok().lines)]
        self.assertGreater(len(points), 4)
        self.assertEqual(len(found), len(points))
        for row in points:
            same_point = [one for one in found if one[:2] == (row["metric"], int(row["step"])) and same(one[2], float(row["last"]))]
            self.assertEqual(len(same_point), 1, (row, found))
            at = subprocess.run(["date", "-d", row["at"], "+%s.%3N"], capture_output=True, check=True).stdout
            self.assertAlmostEqual(same_point[0][3], float(at), 3)
        self.assertTrue(any(math.isnan(one[2]) for one in found), found)
        before = files[f"{job}-trainer"].read_bytes()
        self.assertEqual(self.write_events(job)[f"{job}-trainer"].read_bytes(), before, "the same data are the same bytes")
        self.assertEqual({one[0] for one in scalars(self.write_events(job, "lr")[f"{job}-trainer"])}, {"lr"})

    def test_tensorboard_shows_further_ranks_as_runs_below(self):
        job = self.job('echo "metric step=4 loss=0.$GP_NODE_RANK" > $GP_REPORT', nodes=2)
        self.cli("jobs", "wait", job).ok()
        run = f"{job}-trainer"
        files = eventually(lambda: (lambda seen: len(seen) == 2 and seen)(self.write_events(job)), "both ranks")
        self.assertEqual(set(files), {run, f"{run}/rank1"})
        self.assertEqual([one[:2] for one in scalars(files[f"{run}/rank1"])], [("loss", 4)])

    def test_tensorboard_leaves_out_what_is_superseded_unless_asked(self):
        job = self.job(["python3", "-c", TRAINS], on_lease_loss="stop")
        mark = os.path.join(self.cluster.shared, "mark")
        eventually(lambda: os.path.exists(mark + "1"), "the first attempt")
        self.await_last(job, "train/loss", "step", 5)
        node = self.cli.job(job)["attempts"][-1]["ranks"][0]["node"]
        self.cluster.agent_of(node).kill()
        eventually(lambda: os.path.exists(mark + "2"), "the second attempt")
        self.await_last(job, "train/loss", "step", 7)
        run = f"{job}-trainer"
        of_attempts = {name: [one[1] for one in scalars(file) if one[0] == "lr"] for name, file in self.write_events(job, "--superseded").items()}
        self.assertEqual(of_attempts, {f"{run}/attempt{attempt}": [step for step, of in self.points(job, "lr", "--superseded") if of == attempt] for attempt in (1, 2)})
        self.assertIn(5, of_attempts[f"{run}/attempt1"])
        files = self.write_events(job)
        self.assertEqual(set(files), {run}, "the runs of attempts are gone")
        steps = [one[1] for one in scalars(files[run]) if one[0] == "lr"]
        self.assertEqual(steps, [step for step, _ in self.points(job, "lr")])
        self.assertEqual(steps, sorted(set(steps)))
        self.cluster.agent_of(node).start()  # it ends what still runs there
        open(mark + "end", "w").close()
        self.cli("jobs", "wait", job).ok()

    def test_tensorboard_follows_a_job(self):
        job = self.job('for i in $(seq 8); do echo "metric step=$i loss=0.$i" > $GP_REPORT; sleep 1.1; done')
        directory = os.path.join(self.cluster.directory, "board")
        follower = self.follow(job, "--tensorboard", directory)
        first = eventually(lambda: self.events(directory).get(f"{job}-trainer"), "the first points")
        begun = first.stat().st_ino, first.read_bytes()
        eventually(lambda: len(first.read_bytes()) > len(begun[1]), "more points")
        self.assertEqual(first.stat().st_ino, begun[0], "TensorBoard goes on reading the file that it has opened")
        self.assertEqual(first.read_bytes()[:len(begun[1])], begun[1])
        out, _ = follower.communicate(timeout=60)
        self.assertEqual((follower.returncode, out.strip()), (0, str(first)))
        self.assertEqual([one[1] for one in scalars(first)], [step for step, _ in self.points(job, "loss")])
        self.assertEqual(scalars(first)[-1][1], 8)

    def test_tensorboard_mistakes_are_told(self):
        job = self.job("true")
        self.cli("jobs", "wait", job).ok()
        directory = os.path.join(self.cluster.directory, "board")
        self.assertIn("no metrics", self.cli("jobs", "metrics", job, "--tensorboard", directory).ok().err)
        answer = self.cli("jobs", "metrics", job, "--tensorboard", directory, "-o", "csv")
        self.assertEqual((answer.code, answer.err), (2, "error: --tensorboard writes files: it goes with no --output\n"))
        file = os.path.join(self.cluster.directory, "file")
        open(file, "w").close()
        for place in (file, file + "/below"):
            answer = self.cli("jobs", "metrics", job, "--tensorboard", place)
            self.assertEqual(answer.code, 2, answer)
            self.assertIn("Not a directory", answer.err)

    # --follow.

    def follow(self, job, *words):
        return self.cli.popen("jobs", "metrics", job, "--follow", *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def steps(self, lines):
        return [int(re.search(r" step (\d+)", line)[1]) for line in lines]

    def test_follow_shows_each_point_once_and_ends_with_the_job(self):
        job = self.job('for i in $(seq 6); do echo "metric step=$i loss=0.$i lr=0.01" > $GP_REPORT; sleep 1.1; done; echo "metric step=7 loss=nan lr=0.01" > $GP_REPORT')
        shapes = {(): self.follow(job), ("-o", "csv"): self.follow(job, "-o", "csv"), ("-o", "json"): self.follow(job, "-o", "json")}
        outputs = {}
        for words, follower in shapes.items():
            out, err = follower.communicate(timeout=60)
            self.assertEqual(follower.returncode, 0, err)
            outputs[words] = out.splitlines()
        self.assertEqual(self.cli.job(job)["state"], "COMPLETED")
        text = outputs[()]
        expected = [step for step, _ in self.points(job, "loss")]  # a slow machine may join two values
        self.assertEqual((expected[0], expected[-1]), (1, 7))
        self.assertEqual(self.steps(text), expected, text)
        self.assertRegex(text[0], rf"^20\d\d-\d\d-\d\dT[0-9:.]+Z {job} step 1 loss=0.1 lr=0.01$")
        self.assertIn("loss=nan", text[-1])
        rows = outputs[("-o", "csv")]
        self.assertEqual(sorted(rows[1:]), sorted(self.cli("jobs", "metrics", job, "-o", "csv").ok().lines[1:]))
        self.assertEqual(len(set(rows)), len(rows))
        objects = [json.loads(line) for line in outputs[("-o", "json")]]
        self.assertEqual([(one["job"], one["step"]) for one in objects if one["name"] == "loss"], [(job, step) for step in expected])
        # After the end: the same, at once.
        eventually(lambda: self.cli.job(job)["ended_at"] < self.seconds_ago(10), "it is long past")
        self.assertEqual(self.cli("jobs", "metrics", job, "-f", timeout=10).ok().lines, text)
        self.assertEqual(self.cli("jobs", "metrics", job, "-f", "lr", "-o", "csv", "--no-headers").ok().lines, [row for row in rows if row.startswith("lr,")])

    def seconds_ago(self, seconds):
        return subprocess.run(["date", "-u", "-d", f"-{seconds} seconds", "+%FT%TZ"], capture_output=True, text=True, check=True).stdout.strip()

    def test_follow_goes_on_in_the_next_attempt_and_over_a_restart(self):
        job = self.job(["python3", "-c", TRAINS], on_lease_loss="stop")
        mark = os.path.join(self.cluster.shared, "mark")
        follower = self.follow(job, "-o", "csv")
        eventually(lambda: os.path.exists(mark + "1"), "the first attempt")
        self.await_last(job, "train/loss", "step", 5)
        node = self.cli.job(job)["attempts"][-1]["ranks"][0]["node"]
        self.cluster.agent_of(node).kill()
        self.cluster.controller.kill()
        self.cluster.start_controller()
        eventually(lambda: os.path.exists(mark + "2"), "the second attempt")
        self.await_last(job, "train/loss", "step", 7)
        self.cluster.agent_of(node).start()
        open(mark + "end", "w").close()
        out, err = follower.communicate(timeout=60)
        self.assertEqual(follower.returncode, 0, err)
        rows = out.splitlines()[1:]
        self.assertEqual(sorted(rows), sorted(self.cli("jobs", "metrics", job, "--superseded", "-o", "csv").ok().lines[1:]))
        self.assertEqual({row.split(",")[2] for row in rows}, {"1", "2"})

    def test_follow_ends_with_ctrl_c(self):
        job = self.job('echo "metric step=1 loss=0.5" > $GP_REPORT; sleep 60')
        follower = self.follow(job)
        self.assertIn(" step 1 loss=0.5", follower.stdout.readline())
        follower.send_signal(signal.SIGINT)
        out, err = follower.communicate(timeout=30)
        self.assertEqual((follower.returncode, out), (130, ""))
        self.assertIn("interrupted; the job is not affected", err)
        self.assertEqual(self.cli.job(job)["state"], "RUNNING")
        self.cli("jobs", "cancel", job).ok()

    def test_follow_of_a_job_without_metrics_and_mistakes(self):
        job = self.job("sleep 1")
        answer = self.cli("jobs", "metrics", job, "-f").ok()
        self.assertEqual(answer.out, "")
        self.assertIn("no metrics: the job reports them by lines", answer.err)
        self.assertIn("no job", self.cli("jobs", "metrics", "999999", "-f").err)
        self.assertEqual(self.cli("jobs", "metrics", job, "-f", "--points", "5").code, 2)
        self.assertIn("--follow offers", self.cli("jobs", "metrics", job, "-f", "-o", "yaml").err)


if __name__ == "__main__":
    main()
