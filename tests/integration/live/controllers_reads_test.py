#!/usr/bin/python3
"""Standbys answer reads from their own copy of the state, and say how old it may be."""

import json
import urllib.error
import urllib.parse
import urllib.request

from controllers_test import SharedTest
from live_platform import eventually, main


class Reads(SharedTest):
    options = {"nodes": 1, "controllers": 3,
               "serve_flags": ("--http", "127.0.0.1:0", "--reads", "127.0.0.1:0")}

    def setUp(self):
        super().setUp()
        self.standbys = [one for one in self.cluster.controllers if one is not self.first]
        self.token = self.cli.json("tokens", "create", "far")["secret"]

    def ask(self, controller, path, door="reads", method="GET", body=None):
        """The status, the answer and the age of the state."""
        address = f"http://127.0.0.1:{self.cluster.port_of(controller, door)}{path}"
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(address, body, headers, method=method)
        try:
            answer = urllib.request.urlopen(request, timeout=20)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            text, age = answer.read().decode(), answer.headers["State-Age"]
        is_json = "json" in answer.headers["Content-Type"]
        return answer.status, json.loads(text) if is_json else text, None if age is None else float(age)

    def value(self, controller, path, **how):
        status, value, _ = self.ask(controller, path, **how)
        self.assertEqual(status, 200, value)
        return value

    def await_known_token(self):
        for one in self.standbys:
            eventually(lambda: self.ask(one, "/api/v1/jobs")[0] == 200, "the standby has the token")

    def test_a_standby_answers_with_its_own_state_and_its_age(self):
        self.await_known_token()
        job = self.cli.start("--gpus", "1", command=["sleep", "600"])
        for standby in self.standbys:
            def shows_it(standby=standby):
                status, seen, _ = self.ask(standby, f"/api/v1/jobs/{job}?stale=2s")
                return status == 200 and seen["state"] == "RUNNING"
            eventually(shows_it, "the standby follows")
            status, listed, age = self.ask(standby, "/api/v1/jobs?stale=2s&limit=5&fields=jobs.id")
            self.assertEqual((status, listed["jobs"]), (200, [{"id": job}]))
            self.assertTrue(0 <= age <= 2, age)
            cluster = self.value(standby, "/api/v1/cluster")
            self.assertEqual(cluster["nodes"][0]["name"], "dgx-h100-0")
            self.assertIsNone(cluster.get("controllers"))
            full = self.cli.start("--gpus", "8", command=["true"])
            eventually(lambda: self.ask(standby, f"/api/v1/jobs/{full}")[0] == 200, "it has the job that waits")
            self.assertIn("7 free", self.value(standby, f"/api/v1/jobs/{full}")["reason"])
            self.cli("jobs", "cancel", "--yes", full).ok()
            for path in ("/api/v1/cluster", "/api/v1/queues", "/api/v1/usage", f"/api/v1/jobs/{job}/report"):
                self.assertEqual(self.ask(standby, path)[0], 200, path)
        self.assertEqual(self.ask(self.first, f"/api/v1/jobs/{job}?stale=2s")[2], 0)
        # The leader's doors take it as well: what is sent to any controller is right.
        self.assertEqual(self.ask(self.standbys[0], f"/api/v1/jobs/{job}?stale=2s", door="HTTP")[2], 0)

    def test_only_reads_and_only_of_those_who_may_read(self):
        self.await_known_token()
        standby = self.standbys[0]
        self.assertEqual(self.ask(standby, "/api/v1/jobs", method="POST", body=b"{}")[0], 405)
        self.assertEqual(self.ask(standby, "/api/v1/jobs?stale=soon")[0], 400)
        self.assertEqual(self.ask(standby, "/api/v1/jobs?stale=1s&stale=2s")[0], 400)
        for path in ("/", "/api/v1/events", "/metrics", "/api/v1/settings", "/api/v1/secrets", "/api/v1/controllers"):
            self.assertEqual(self.ask(standby, path)[0], 404, path)
        for path in ("/readyz", "/livez"):
            self.assertEqual(self.ask(standby, path)[:2], (200, "ok\n"), path)
        self.token = "gpt_" + "0" * 64
        self.assertEqual(self.ask(standby, "/api/v1/jobs")[0], 401)

    def test_what_is_too_old_is_not_answered(self):
        self.await_known_token()
        standby = self.standbys[0]
        self.cluster.etcd.kill(0)
        eventually(lambda: self.ask(standby, "/api/v1/jobs?stale=1s")[0] == 503, "it cannot know what is new")
        status, refused, age = self.ask(standby, "/api/v1/jobs?stale=1s")
        self.assertEqual(status, 503)
        self.assertGreater(age, 1)
        self.assertIn("s old, and at most 1.000 s are asked for", refused["detail"])
        self.assertEqual(self.ask(standby, "/api/v1/jobs?stale=60s")[0], 200)
        self.cluster.etcd.start_again(0)
        eventually(lambda: self.ask(standby, "/api/v1/jobs?stale=1s")[0] == 200, "it follows again")

    def test_a_new_leader_answers_at_the_same_address(self):
        self.await_known_token()
        job = self.cli.start("--gpus", "1", command=["sleep", "600"])
        self.first.kill()
        second = self.cluster.await_leader(other_than=self.first)
        status, seen, age = self.ask(second, f"/api/v1/jobs/{job}")
        self.assertEqual((status, seen["id"], age), (200, job, 0))
        third = next(one for one in self.standbys if one is not second)
        eventually(lambda: self.ask(third, f"/api/v1/jobs/{job}?stale=1s")[0] == 200, "the other one follows it")


if __name__ == "__main__":
    main()
