#!/usr/bin/python3
"""A controller copies its journal to an archive, is lost with all that it has, and comes back from there."""

import itertools
import json
import os
import pathlib
import re
import shutil
import sys

from live_platform import ClusterTest, eventually, main

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "examples/ml_day"))
from s3_server import Fault, S3Server  # noqa: E402

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
CONFLICT, UNHEALTHY = 4, 9


class Disasters(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 1}

    def setUp(self):
        super().setUp()
        self.place = pathlib.Path(self.cluster.directory)
        (self.place / "s3/backups").mkdir(parents=True)
        self.server = S3Server(self.place / "s3", {KEY: SECRET}).start()
        self.addCleanup(self.server.stop)
        self.credentials = self.place / "credentials.json"
        self.credentials.write_text(json.dumps({"access_key": KEY, "secret_key": SECRET, "endpoint": self.server.address}))
        self.key = self.place / "archive.key"
        self.cli("admin", "dr", "make-key", str(self.key)).ok()
        self.assertEqual(os.stat(self.key).st_mode & 0o777, 0o600)
        self.url = "s3://backups/gpu-platform/prod"
        self.restart()

    def access(self):
        return (self.url, "--key", str(self.key), "--credentials", str(self.credentials))

    def restart(self):
        self.cluster.controller.stop()
        self.flags = ["--archive", self.url, "--archive-key", str(self.key), "--archive-credentials", str(self.credentials), "--archive-every", "50ms"]
        self.cluster.controller.words = [*self.cluster.controller.words, *self.flags]
        self.cluster.start_controller()
        self.cluster.await_gpus()

    def status(self):
        return self.cli.json("admin", "dr", "status")

    def is_complete(self):
        seen = self.status()
        return seen.get("complete_until") and seen["archived"] == seen["last"] and not seen.get("trouble")

    def restore(self, *flags):
        return self.cli("admin", "dr", "restore", *self.access(), "--state", self.cluster.state, *flags, "-o", "json")

    def running(self, job, attempts):
        seen = self.cli.job(job)
        return seen["state"] == "RUNNING" and len(seen["attempts"]) == attempts

    def test_it_comes_back_from_its_archive(self):
        over = self.cli.start(command=["true"])
        self.assertEqual(self.cli.wait(over), 0)
        self.cli("secrets", "set", "TOKEN", input=b"hush").ok()
        runs = self.cli.start("--gpus", "2", "--secret", "TOKEN", command=["sh", "-c", "echo is $TOKEN; sleep 1000"])
        eventually(lambda: self.running(runs, 1), "it runs")
        eventually(self.is_complete, self.status)
        self.assertRegex(self.cli("status").ok().out, r"\nARCHIVE  complete until 20\S+Z; last verified never\n")
        self.cluster.controller.stop()  # copies the rest
        self.assertEqual(self.cli.json("admin", "dr", "verify", *self.access())["faults"], [])
        self.cluster.start_controller()
        eventually(self.is_complete, self.status)
        self.cluster.controller.kill()

        there = self.restore()
        self.assertEqual(there.code, CONFLICT, there)
        kept = self.place / "kept"
        shutil.move(self.cluster.state, kept)  # all is lost, as far as this machine knows
        restored = json.loads(self.restore().ok().out)
        self.assertEqual(restored["passed_by"], [])
        shutil.move(self.cluster.state, self.place / "again")
        second = self.restore()
        self.assertEqual(second.code, CONFLICT, second)
        self.assertIn("--replace-claim", second.err)
        shutil.rmtree(self.cluster.state, ignore_errors=True)
        shutil.move(self.place / "again", self.cluster.state)

        self.cluster.start_controller()
        self.cluster.await_gpus()
        self.assertEqual(self.cli.job(over)["state"], "COMPLETED")
        eventually(lambda: self.running(runs, 2), lambda: self.cli.job(runs), timeout=60)
        eventually(lambda: "is hush" in self.cli("jobs", "logs", runs).ok().out, "its secret is back")
        eventually(lambda: len(self.cluster.sandbox.leases()) == 1, lambda: self.cluster.sandbox.leases())
        eventually(self.is_complete, self.status)
        verified = self.cli.json("admin", "dr", "verify", *self.access())
        self.assertEqual(verified["faults"], [])
        self.assertNotEqual(verified["lineage"], restored["lineage"], "another one goes on")

        # The old controller comes back.
        self.cluster.controller.stop()
        shutil.rmtree(self.cluster.state)
        shutil.move(kept, self.cluster.state)
        self.cluster.controller.start()
        eventually(lambda: self.cluster.controller.exit_code() == CONFLICT, self.cluster.controller.text)
        self.assertIn("restored from its archive elsewhere", self.cluster.controller.text_of_run())
        self.cluster.controller.words = self.cluster.controller.words[:-len(self.flags)]
        self.cluster.start_controller()
        self.cluster.await_gpus()

    def test_a_store_that_fails_costs_nothing(self):
        faults = itertools.cycle([Fault(error="SlowDown"), None, Fault(lost=True), Fault(cut_after=10), None, Fault(error="InternalError"), Fault(delay_s=0.2)])
        self.server.fault = lambda request: next(faults)
        for _ in range(20):
            self.cli.start("--gpus", "9", "--wait-for-nodes", "--array", "3", command=["true"])
        eventually(self.is_complete, self.status, timeout=60)
        self.server.fault = None
        self.assertEqual(self.cli.json("admin", "dr", "verify", *self.access())["faults"], [])

    def test_without_its_store_the_controller_goes_on(self):
        self.server.stop()
        job = self.cli.start(command=["true"])
        self.assertEqual(self.cli.wait(job), 0)
        eventually(lambda: self.status().get("trouble"), "it says so")
        # The care for what is there may fail first, and copies with the next record.
        eventually(lambda: "\nARCHIVE  COPIES FAIL (gpu-platform admin dr status); complete until " in self.cli("status").ok().out, "status too")
        lag = re.search(r"^gpu_platform_archive_lag_seconds (\S+)$", self.cli("metrics").ok().out, re.MULTILINE)
        self.assertGreater(float(lag.group(1)), 0)
        self.cluster.controller.stop()
        self.cluster.start_controller()
        self.assertEqual(self.cli.job(job)["state"], "COMPLETED")

    def test_damage_is_told(self):
        eventually(self.is_complete, self.status)
        self.cluster.controller.stop()
        key = min(key for key in self.server.store.bucket("backups") if key.endswith(".gpr"))
        file = self.place / "s3/backups" / self.server.store.get("backups", key).file
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
        verified = self.cli("admin", "dr", "verify", *self.access())
        self.assertEqual(verified.code, UNHEALTHY, verified)
        self.assertIn(key.rpartition("/")[2], verified.out)
        self.cluster.start_controller()


if __name__ == "__main__":
    main()
