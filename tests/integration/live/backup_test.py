#!/usr/bin/python3
"""Backups of a controller that runs, and a controller that comes back from one."""

import os
import shutil
import tempfile
import time

from live_platform import ClusterTest, Cli, eventually, main

ANA = 1234
NOT_FOUND, CONFLICT, DENIED, PARTLY = 3, 4, 5, 10


class Backups(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 1, "serve_flags": ("--listen", "127.0.0.1:0")}

    def setUp(self):
        super().setUp()
        self.backup = os.path.join(self.cluster.directory, "backup")

    def back_up(self):
        return self.cli.json("admin", "backup", self.backup)

    def running(self, job, attempts):
        seen = self.cli.job(job)
        return seen["state"] == "RUNNING" and len(seen["attempts"]) == attempts

    def test_a_controller_comes_back_from_it(self):
        over = self.cli.start(command=["true"])
        self.assertEqual(self.cli.wait(over), 0)
        runs = self.cli.start("--gpus", "2", command=["sleep", "1000"])
        eventually(lambda: self.running(runs, 1), "it runs")
        first = self.back_up()
        self.assertEqual((first["added"], first["missing"]), (first["records"], []))
        later = self.cli.start("--gpus", "1", "--env", "WHO=later", command=["sh", "-c", "sleep 1000"])
        eventually(lambda: self.running(later, 1), "it runs")
        second = self.back_up()
        self.assertEqual(second["records"], first["records"] + second["added"])
        self.assertLess(second["added"], second["records"])
        forgotten = self.cli.start(command=["sleep", "1000"])
        eventually(lambda: self.running(forgotten, 1), "it runs")

        busy = self.cli("admin", "restore", self.backup, "--state", self.cluster.state, "--replace")
        self.assertEqual(busy.code, CONFLICT, busy)
        self.assertIn("a controller runs", busy.err)
        self.cluster.controller.kill()
        there = self.cli("admin", "restore", self.backup, "--state", self.cluster.state)
        self.assertEqual(there.code, CONFLICT, there)
        shutil.rmtree(self.cluster.state)  # all is lost
        restored = self.cli.json("admin", "restore", self.backup, "--state", self.cluster.state)
        self.assertEqual(restored["records"], second["records"])
        self.cluster.start_controller()
        self.cluster.await_gpus()

        self.assertEqual(self.cli.job(over)["state"], "COMPLETED")
        for job in (runs, later):
            eventually(lambda: self.running(job, 2), lambda: f"it runs again: {self.cli.job(job)}", timeout=60)
        self.assertEqual(self.cli("jobs", "describe", forgotten).code, NOT_FOUND)
        eventually(lambda: len(self.cluster.sandbox.leases()) == 2, lambda: f"nothing else runs: {self.cluster.sandbox.leases()}")
        entries = self.cli.json("audit", "list")["entries"]
        self.assertEqual(self.cli("audit", "verify", os.path.join(self.cluster.state, "audit")).ok().code, 0)
        self.assertIn(later, {one.get("object") for one in entries})
        third = self.back_up()
        self.assertEqual(third["records"], second["records"] + third["added"])
        self.assertEqual(self.cli.json("replay", os.path.join(self.backup, "journal.db"), "--verify")["differences"], [])

    def test_it_is_for_admins_and_says_what_it_lacks(self):
        ana = self.cli.as_user(ANA)
        self.assertEqual(ana("admin", "backup", os.path.join(self.cluster.shared, "mine")).code, DENIED)
        secret = self.cli.json("tokens", "create", "copies", "--role", "admin")["secret"]
        far = Cli(self.cli.binary, f"127.0.0.1:{self.cluster.grpc_port()}", extra={"GPU_PLATFORM_TOKEN": secret})
        remote = far("admin", "backup", self.backup)
        self.assertEqual(remote.code, PARTLY, remote)
        self.assertIn("not in the backup: the authority", remote.err)
        self.assertEqual(sorted(name for name in os.listdir(self.backup) if not name.startswith("journal.db")), ["gpu-platform-backup.txt"])
        self.assertEqual(self.cli("admin", "backup", self.cluster.directory).code, CONFLICT, "no directory of its own")


class DroppedRecords(ClusterTest):
    """Three snapshots' worth of records, of which those of two seconds are kept."""
    options = {"machine": "dgx-h100", "nodes": 1, "serve_flags": ("--keep-journal", "2s")}
    ELEMENTS, RECORDS_PER_SNAPSHOT = 10_000, 50_000

    def make_records(self, snapshots):
        for _ in range(snapshots * self.RECORDS_PER_SNAPSHOT // (2 * self.ELEMENTS) + 1):
            for change in ("hold", "release"):
                self.cli("jobs", change, self.array, timeout=60).ok()

    def of_copy(self, backup):
        """A backup that goes on with a copy of another: that one stays as it is."""
        copy = tempfile.mkdtemp(dir=self.cluster.directory)
        shutil.copytree(backup, copy, dirs_exist_ok=True)
        return self.cli("admin", "backup", copy)

    def test_the_rest_goes_on_as_if_they_were_there(self):
        before = os.path.join(self.cluster.directory, "before")
        self.cli("admin", "backup", before).ok()
        self.array = self.cli.start("--gpus", "9", "--wait-for-nodes", "--array", str(self.ELEMENTS), command=["true"])
        self.make_records(1)
        time.sleep(2.5)
        self.make_records(2)
        over = self.cli.start(command=["true"])
        self.assertEqual(self.cli.wait(over), 0)

        copy = os.path.join(self.cluster.directory, "copy")
        backup = self.cli.json("admin", "backup", copy)
        eventually(lambda: self.of_copy(before).code == CONFLICT, "a backup that ends before what is there is neither cut nor gone on with")
        replayed = self.cli.json("replay", os.path.join(copy, "journal.db"), "--verify")
        self.assertEqual(replayed["differences"], [])
        self.assertGreater(replayed["first"], self.RECORDS_PER_SNAPSHOT)
        self.assertEqual(replayed["first"] - 1 + replayed["records"], backup["records"])
        what_if = self.cli("replay", os.path.join(copy, "journal.db"), "--nodes", "+1xdgx-h100")
        self.assertEqual(what_if.code, 1, what_if)
        self.assertIn("--keep-journal", what_if.err)

        self.cluster.controller.kill()
        mine = self.cli.json("replay", os.path.join(self.cluster.state, "journal.db"), "--verify")
        self.assertEqual((mine["differences"], mine["first"]), ([], replayed["first"]))
        self.cluster.start_controller()
        self.assertEqual(self.cli.job(over)["state"], "COMPLETED")
        self.assertEqual(self.cli.json("jobs", "list", self.array, "--limit", "1")["total"], self.ELEMENTS)
        listed = self.cli("jobs", "list", self.array, "--limit", "1").ok()
        self.assertIn(f"1 of {self.ELEMENTS} shown, the oldest · more: --limit N", listed.err)


if __name__ == "__main__":
    main()
