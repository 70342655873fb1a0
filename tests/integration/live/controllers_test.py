#!/usr/bin/python3
"""Three controllers share their log by an etcd: one leads, and another one takes over."""

import itertools
import json
import os
import shutil
import threading

from live_platform import ClusterTest, case, etcd, eventually, main
from live_platform.controllers import Controllers


class SharedTest(ClusterTest):
    """The cluster has three controllers."""

    def setUp(self):
        if etcd.missing():
            if os.environ.get("CI"):
                self.fail(etcd.missing())
            self.skipTest(etcd.missing())
        self.cluster = Controllers(case.binary, **self.options)
        self.addCleanup(self.cluster.close)
        self.cluster.start()
        self.first = self.cluster.controller

    @property
    def cli(self):
        return self.cluster.cli

    def start_gang(self):
        gang = self.cli.start("--nodes", "2", "--gpus", "1", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(gang)["detail"] == "RUNNING", "it runs")
        return gang

    def assert_undisturbed(self, gang):
        self.cluster.await_gpus()
        seen = self.cli.job(gang)
        self.assertEqual((seen["detail"], seen["attempt"]), ("RUNNING", 1))


class TakeOver(SharedTest):
    options = {"nodes": 2, "members": 3}

    def test_a_leader_that_was_killed_is_followed_by_another(self):
        gang = self.start_gang()
        self.first.kill()
        second = self.cluster.await_leader(other_than=self.first)
        self.assert_undisturbed(gang)
        # It begins again as a standby, and has what happened meanwhile when it leads once more.
        job = self.cli.start("--gpus", "1", command=["true"])
        self.cli.wait(job)
        self.first.start()
        self.cluster.await_standby(self.first)
        for one in self.cluster.controllers:
            if one not in (self.first, second):
                one.stop()
        second.kill()
        self.cluster.await_leader(other_than=second)
        self.assertEqual(self.cli.job(job)["state"], "COMPLETED")
        self.assert_undisturbed(gang)

    def test_a_leader_that_is_stopped_hands_over(self):
        gang = self.start_gang()
        self.assertEqual(self.first.stop(), 0)
        self.cluster.await_leader(other_than=self.first)
        self.assert_undisturbed(gang)

    def test_a_leader_that_was_suspended_answers_nothing_any_more(self):
        gang = self.start_gang()
        before = self.cluster.cli_of(self.first)
        self.first.pause()
        self.cluster.await_leader(other_than=self.first)
        self.cluster.await_gpus()
        queue = self.cli("queues", "set", "made-later").ok()
        self.assertEqual(queue.code, 0)
        # Its sockets still take requests: they wait there until it goes on, and get no old answer.
        asked = before.popen("queues", "list", "-o", "json", stdout=-1, stderr=-1)
        self.first.resume()
        out, _ = asked.communicate(timeout=60)
        self.assertNotEqual((asked.returncode, b"made-later" in out), (0, False), out)
        eventually(lambda: not self.first.runs(), "it stops by itself")
        self.assertIn("this controller stops", self.first.text_of_run())
        self.assert_undisturbed(gang)

    def test_a_member_of_etcd_that_was_killed_is_not_missed(self):
        gang = self.start_gang()
        for k in range(2):
            self.cluster.etcd.kill(k)
            self.cli.wait(self.cli.start("--gpus", "1", command=["true"]))
            self.cluster.etcd.start_again(k)
        self.assert_undisturbed(gang)

    def store(self):
        return self.cli.json("admin", "controllers", "list").get("store", [])

    def findings(self, *names):
        found = {one["name"]: one["result"] for one in json.loads(self.cli("doctor", "-o", "json").out)["checks"]}
        return [found.get(name) for name in names]

    def test_operators_see_how_each_member_of_etcd_is(self):
        eventually(lambda: [one["trouble"] for one in self.store()] == ["", "", ""], "all are well", timeout=60)
        self.assertEqual([one["endpoint"] for one in self.store()], self.cluster.etcd.urls)
        self.assertEqual(sum(one["leads"] for one in self.store()), 1)
        self.assertNotIn("STORE", self.cli("status").ok().out)
        eventually(lambda: self.findings("standbys", "etcd") == ["ok", "ok"], "doctor finds all well", timeout=60)
        self.cluster.etcd.kill(1)
        url = self.cluster.etcd.urls[1]
        eventually(lambda: f"STORE    {url}: " in self.cli("status").ok().out, "status tells", timeout=60)
        self.assertIn(f"etcd at {url}: ", self.cli("admin", "controllers", "list").ok().err)
        self.assertEqual(self.findings("standbys", "etcd"), ["ok", "WARN"])
        metrics = self.cli("metrics").ok().lines
        well = [line for line in metrics if line.startswith("gpu_platform_store_member_well")]
        self.assertEqual(sorted(line.rsplit(" ", 1)[1] for line in well), ["0", "1", "1"])
        self.assertIn(f'gpu_platform_store_member_well{{member="{url}"}} 0', well)
        self.cluster.etcd.start_again(1)
        eventually(lambda: "STORE" not in self.cli("status").ok().out, "it is well again", timeout=60)


class Histories(SharedTest):
    options = {"nodes": 1}

    def submit(self, key):
        """The answer to a submit with this request id, of whoever leads."""
        spec = json.dumps({"run": "true", "resources": {"gpus": 0}}).encode()
        return self.cli("-q", "jobs", "submit", "--request-id", key, "-", input=spec)

    def test_what_was_acknowledged_is_there_once(self):
        acknowledged = []
        ended = threading.Event()

        def submit():
            for number in itertools.count():
                if ended.is_set():
                    return
                key = f"request-{number}"
                while not ended.is_set():
                    answer = self.submit(key)
                    if answer.code == 0:
                        acknowledged.append((key, answer.out.strip()))
                        break

        client = threading.Thread(target=submit)
        client.start()
        try:
            for _ in range(3):
                seen = len(acknowledged)
                eventually(lambda: len(acknowledged) > seen + 3, "jobs are acknowledged")
                leader = self.cluster.controller
                leader.kill()
                self.cluster.await_leader(other_than=leader)
                leader.start()
                self.cluster.await_standby(leader)
        finally:
            ended.set()
            client.join()
        jobs = [job for _, job in acknowledged]
        self.assertEqual(len(set(jobs)), len(jobs), "no two requests are one job")
        for key, job in acknowledged:
            self.assertEqual(self.submit(key).out.strip(), job)


class LostStore(SharedTest):
    """Etcd has lost everything; a controller begins the log again from its own journal."""

    options = {"nodes": 2}

    def lose_store(self, *controllers):
        for one in controllers:
            one.kill()
        self.cluster.etcd.begin_again()

    def adopt(self, controller, *words):
        state, _ = self.cluster.places[controller]
        return self.cli("admin", "controllers", "adopt-local", "--state", state, *words)

    def test_jobs_run_on_from_the_leaders_journal(self):
        gang = self.start_gang()
        self.assertIn("a controller runs on it", self.adopt(self.first, "--others-stopped").err)
        self.lose_store(*self.cluster.controllers)
        self.first.start()
        eventually(lambda: not self.first.runs(), "it begins no log of its own")
        refused = self.adopt(self.first, "--has-all")
        self.assertEqual(refused.code, 2)
        self.assertRegex(refused.err, r"up to record \d+ of 20.*--others-stopped")
        self.assertRegex(self.adopt(self.first, "--others-stopped", "--has-all").ok().out, r"up to record \d+ of 20\S+Z\.  Started with --store, it begins the log from there\n")
        self.first.start()
        self.cluster.await_leader(other_than=None)
        self.assert_undisturbed(gang)
        for one in self.cluster.controllers[1:]:
            one.start()
            self.cluster.await_standby(one)
        self.first.kill()
        self.cluster.await_leader(other_than=self.first)
        self.assert_undisturbed(gang)

    def test_jobs_are_started_again_where_records_may_be_missing(self):
        gang = self.start_gang()
        self.lose_store(*self.cluster.controllers)
        standby = self.cluster.controllers[1]
        # A power cut between its two steps.
        state, _ = self.cluster.places[standby]
        shutil.copy(f"{state}/shared-log", f"{state}/kept")
        self.adopt(standby, "--others-stopped").ok()
        os.rename(f"{state}/kept", f"{state}/shared-log")
        self.assertIn("records are missing at its end", self.adopt(standby, "--others-stopped", "--has-all").err)
        with open(f"{state}/shared-log") as mark:
            cluster = mark.read()
        with open(f"{state}/shared-log", "w") as mark:
            mark.write("\n")
        self.assertIn("has never followed the log", self.adopt(standby, "--others-stopped").err)
        with open(f"{state}/shared-log", "w") as mark:
            mark.write(cluster)
        self.assertIn("jobs that ran are started again", self.adopt(standby, "--others-stopped").ok().out)
        standby.start()
        self.cluster.await_leader(other_than=self.first)
        eventually(lambda: (self.cli.job(gang)["detail"], self.cli.job(gang)["attempt"]) == ("RUNNING", 2), "it runs again", timeout=60)


if __name__ == "__main__":
    main()
