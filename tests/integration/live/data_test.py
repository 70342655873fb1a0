#!/usr/bin/python3
"""Jobs whose data is fetched, and whose checkpoints and artifacts are copied, by real agents and an S3 server of ours."""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import sys

from live_platform import ClusterTest, eventually, main

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "examples/ml_day"))
from s3_server import Fault, S3Server  # noqa: E402

USER = 12_345
KEY, SECRET = "lab-key", "s3cr3t-0f-the-lab"

# Saves a checkpoint of a step every tenth of a second; its first attempt never ends by itself.
TRAINS = """
import os, pathlib, time
from gpu_platform import training
place = pathlib.Path(os.environ["GP_CHECKPOINT_DIR"])
came_from = os.environ.get("GP_RESUME_FROM", "")
first = int((pathlib.Path(came_from) / "step").read_text()) if came_from and os.environ["GP_ATTEMPT"] != "1" else 0
print("from", first, flush=True)
for step in range(first + 1, first + 6 if first else 10_000):
    directory = place / f"step-{step}"
    directory.mkdir(parents=True)
    (directory / "step").write_text(str(step))
    (directory / "weights").write_bytes(bytes([step % 256]) * 100_000)
    training.checkpoint(str(directory), step)
    time.sleep(0.1)
"""


class Data(ClusterTest):
    options = {"nodes": 2, "serve_flags": ("--lease-time", "3s"), "agent_flags": ("--data-address", "127.0.0.0/8")}

    def setUp(self):
        super().setUp()
        self.server = S3Server(os.path.join(self.cluster.directory, "s3"), {KEY: SECRET}).start()
        self.addCleanup(self.server.stop)
        self.ana = self.cli.as_user(USER)
        self.credentials = json.dumps({"access_key": KEY, "secret_key": SECRET, "endpoint": self.server.address})
        self.ana("secrets", "set", "S3", input=self.credentials.encode()).ok()
        self.shared = pathlib.Path(self.cluster.shared)

    def put(self, bucket, objects):
        """Into the server's own store, past its door."""
        import boto3
        from botocore.config import Config
        client = boto3.client("s3", endpoint_url=self.server.address, region_name="us-east-1", aws_access_key_id=KEY,
                              aws_secret_access_key=SECRET, config=Config(s3={"addressing_style": "path"}))
        client.create_bucket(Bucket=bucket)
        for name, content in objects.items():
            client.put_object(Bucket=bucket, Key=name, Body=content)
        return client

    def run_job(self, script, wait=True, **spec):
        job = self.ana.submit({"name": "data", "run": script, "resources": {"gpus": 1}, **spec})[0]
        if wait:
            self.ana.wait(job)
        return job

    def output(self, job):
        return self.ana("jobs", "logs", job).ok().out

    def test_a_job_finds_its_data(self):
        content = os.urandom(3 << 20)
        self.put("corpora", {"wiki/a.bin": content, "wiki/sub/b.txt": b"b", "wiki/notes.md": b"no", "tok.json": b"{}"})
        local = self.shared / "local"
        local.mkdir()
        (local / "x").write_text("of the node")
        stage = [{"from": "s3://corpora/wiki", "to": "/tmp/wiki", "include": ["*.bin", "*.txt"], "credentials": "S3"},
                 {"from": "s3://corpora/tok.json", "to": "/tmp/tok.json", "credentials": "S3"},
                 {"from": f"file://{local}", "to": "/tmp/local"}]
        script = "cd /tmp; find wiki local tok.json -type f | sort; sha256sum < wiki/a.bin; cat tok.json local/x; " \
                 "touch wiki/new 2>&1; env | grep -c s3cr3t"
        job = self.run_job(script, stage=stage)
        self.assertEqual(self.output(job).splitlines(),
                         ["local/x", "tok.json", "wiki/a.bin", "wiki/sub/b.txt", hashlib.sha256(content).hexdigest() + "  -",
                          "{}of the node" + "touch: cannot touch 'wiki/new': Read-only file system", "0"])
        self.assertIn("s3://corpora/wiki at /tmp/wiki", self.ana("jobs", "describe", job).ok().out)
        # The same job again takes nothing from the server but the list.
        sent = self.server.bytes_sent
        again = self.run_job("sha256sum < /tmp/wiki/a.bin", stage=stage, nodes=2)
        self.assertLess(self.server.bytes_sent - sent, 2 * len(content), "one of both nodes had it")
        self.assertIn(hashlib.sha256(content).hexdigest(), self.output(again))

    def test_what_is_cut_is_resumed(self):
        content = os.urandom(8 << 20)
        self.put("corpora", {"a.bin": content})
        cuts = iter(range(20))
        sent = self.server.bytes_sent

        def cut(request):
            is_data = request.method == "GET" and request.key == "a.bin"
            return Fault(cut_after=700_000) if is_data and next(cuts, None) is not None else None
        self.server.fault = cut
        job = self.run_job("sha256sum < /tmp/a.bin", stage=[{"from": "s3://corpora/a.bin", "to": "/tmp/a.bin", "credentials": "S3"}])
        self.assertIn(hashlib.sha256(content).hexdigest(), self.output(job))
        self.assertLess(self.server.bytes_sent - sent, 1.1 * len(content))

    def test_what_is_not_there_ends_the_job_at_once(self):
        self.put("corpora", {"a": b"a"})
        for source, credentials, why in [("s3://corpora/none", "S3", "corpora/none"), ("s3://nowhere/a", "S3", "nowhere"),
                                         ("http://169.254.169.254/latest", None, "169.254.169.254")]:
            stage = {"from": source, "to": "/tmp/x"} | ({"credentials": credentials} if credentials else {})
            job = self.ana.job(self.run_job("true", stage=[stage]))
            self.assertEqual(job["detail"], "FAILED", job)
            self.assertIn(why, self.ana("jobs", "describe", job["id"]).ok().out)

    def test_the_loss_of_a_node_costs_an_interval_at_most(self):
        client = self.put("ckpt", {})
        shutil.copytree(ROOT / "clients/python/gpu_platform", self.shared / "gpu_platform", ignore=shutil.ignore_patterns("__pycache__"))
        (self.shared / "train.py").write_text(TRAINS)
        place = self.shared / "ckpt"
        place.mkdir(mode=0o777)
        place.chmod(0o777)
        job = self.run_job(["/usr/bin/python3", str(self.shared / "train.py")], wait=False, name="train", retry={"max": 1, "backoff": "0s"}, on_lease_loss="stop",
                           env={"PYTHONPATH": str(self.shared), "PYTHONDONTWRITEBYTECODE": "1"},
                           checkpoint={"dir": str(place), "keep": 2, "copy_to": "s3://ckpt/runs", "credentials": "S3"})
        eventually(lambda: len(self.ana.job(job).get("checkpoints", [])) == 2, "two checkpoints are copied")
        node = self.ana.job(job)["attempts"][0]["ranks"][0]["node"]
        agent = self.cluster.agent_of(node)
        # The node burns down with its disk.  Its job lives on for a moment here, and saves what nobody copies.
        saved = max(int(p.name.split("-")[1]) for p in place.iterdir())
        agent.kill()
        for pid in self.pids_of(agent):
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(place)
        place.mkdir(mode=0o777)
        place.chmod(0o777)
        self.ana.wait(job)
        first = int(self.output(job).split()[1])
        self.assertGreaterEqual(first, saved - 2, "the newest that is copied")
        copies = {one["Key"].split("/")[2] for one in client.list_objects_v2(Bucket="ckpt").get("Contents", [])}
        self.assertLessEqual(len(copies), 4, "old copies are removed: the newest of each attempt, and one that was just made")
        agent.start()  # which clears up
        self.assertEqual(self.ana.job(job)["detail"], "COMPLETED")

    def test_artifacts_are_copied_when_the_job_has_ended(self):
        client = self.put("results", {})
        out = self.shared / "out"
        out.mkdir(mode=0o777)
        out.chmod(0o777)
        job = self.run_job(f"mkdir {out}/sub; echo hello > {out}/sub/a; exit 3",
                           artifacts=[{"from": str(out), "to": "s3://results/${JOB_ID}", "credentials": "S3"}])
        self.assertEqual(self.ana.job(job)["detail"], "FAILED")
        self.assertEqual(client.get_object(Bucket="results", Key=f"{job}/sub/a")["Body"].read(), b"hello\n")
        missing = self.run_job("true", artifacts=[{"from": str(self.shared / "none"), "to": "s3://results/x", "credentials": "S3"}])
        self.assertEqual(self.ana.job(missing)["detail"], "COMPLETED")
        self.assertIn("is not copied: s3://results/x", self.ana("jobs", "describe", missing).ok().out)

    def test_nobody_sees_the_credentials(self):
        self.put("corpora", {"a": b"a"})
        self.run_job("sleep 0.2", stage=[{"from": "s3://corpora/a", "to": "/tmp/a", "credentials": "S3"}],
                     artifacts=[{"from": str(self.shared), "to": "s3://corpora/out", "credentials": "S3"}])
        for place, _, names in os.walk(self.cluster.directory):
            if place.startswith(os.path.join(self.cluster.state, "secrets")):
                continue
            for name in names:
                path = os.path.join(place, name)
                if os.path.isfile(path) and not os.path.islink(path):
                    self.assertNotIn(SECRET.encode(), pathlib.Path(path).read_bytes(), path)

    def pids_of(self, agent):
        """The agent's supervisors and their jobs, which outlive it."""
        state = self.cluster.agent_state(self.cluster.agents.index(agent)).encode()
        pids = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue
            if state in environment or state in words:
                pids.append(int(pid))
        return pids


if __name__ == "__main__":
    main()
