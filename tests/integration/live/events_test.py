#!/usr/bin/python3
"""Changes as server-sent events, over TCP and the Unix socket."""

import http.client
import json

from live_platform import ClusterTest, Events, UnixConnection, eventually, main

ANA = 1234


def place_of(name):
    """LINEAGE-SEQUENCE.INDEX as numbers."""
    lineage, place = name.split("-")
    return int(lineage), *map(int, place.split("."))


class Watching(ClusterTest):
    def setUp(self):
        super().setUp()
        self.open = []

    def tearDown(self):
        for events in self.open:
            events.close()
        super().tearDown()

    def unix(self):
        return UnixConnection(f"{self.cluster.run_directory}/http.sock")

    def follow(self, query="", connect=None, **headers):
        events = Events((connect or self.unix)(), f"/api/v1/events{query}", {name.replace("_", "-"): value for name, value in headers.items()})
        self.open.append(events)
        return events


class Changes(Watching):
    options = {"serve_flags": ("--http", "127.0.0.1:0"), "machine": "dgx-h100", "nodes": 1}

    def setUp(self):
        super().setUp()
        self.port = self.cluster.http_port()

    def tcp(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def run_job(self, *flags):
        # Long enough that its agent does not report its start and its end at once.
        job = self.cli.start("--gpus", "1", *flags, command=["sleep", "1"])
        self.assertEqual(self.cli.wait(job), 0)
        return job

    def test_a_job_is_followed_from_its_submit_to_its_end(self):
        events = self.follow("?kinds=job")
        self.assertEqual(events.status, 200)
        self.assertEqual(events.reply.getheader("Content-Type"), "text/event-stream")
        job = self.run_job()
        seen = events.until(lambda change: change["state"] == "COMPLETED")
        self.assertEqual({change["object"] for _, _, change in seen}, {job})
        states = [change["state"] for _, _, change in seen]
        self.assertEqual([state for i, state in enumerate(states) if i == 0 or states[i - 1] != state][-2:], ["RUNNING", "COMPLETED"], states)
        places = [place_of(name) for name, _, _ in seen]
        self.assertEqual(places, sorted(set(places)))

    def test_one_goes_on_where_one_was(self):
        events = self.follow("?kinds=job")
        self.run_job()
        first = events.until(lambda change: change["state"] == "COMPLETED")
        events.close()
        self.run_job()
        again = self.follow("?kinds=job", Last_Event_ID=first[0][0])
        told = again.until(lambda change: change["object"] == "job-1" and change["state"] == "COMPLETED")
        self.assertEqual(told, first[-1:])  # as it is now, once
        self.assertEqual(again.until(lambda change: change["state"] == "COMPLETED")[-1][2]["object"], "job-2")

    def test_a_restart_says_that_something_was_missed_before_it(self):
        events = self.follow()
        self.run_job()
        last = events.until(lambda change: change["state"] == "COMPLETED")[-1][0]
        self.run_job()
        self.cluster.controller.kill()
        self.cluster.start_controller()
        self.run_job()
        again = self.follow(Last_Event_ID=last)
        self.assertEqual(again.next()[2]["kind"], "missed")
        job = self.run_job()
        self.assertIn(job, [change["object"] for _, _, change in again.until(lambda change: change["state"] == "COMPLETED")])

    def test_an_id_of_an_earlier_version_missed_everything(self):
        events = self.follow(Last_Event_ID="3-1207")
        self.assertEqual(events.next()[2]["kind"], "missed")
        job = self.run_job()
        self.assertIn(job, [change["object"] for _, _, change in events.until(lambda change: change["state"] == "COMPLETED")])

    def test_nobody_hears_of_what_it_may_not_see(self):
        self.cli("queues", "set", "secret").ok()
        self.cli("roles", "grant", "*", "none", "--queue", "secret").ok()
        secret = self.cli.as_user(ANA).json("tokens", "create", "test", "--role", "viewer")
        events = self.follow("?kinds=job", self.tcp, Authorization=f"Bearer {secret['secret']}")
        hidden = self.run_job("--queue", "secret")
        shown = self.run_job()
        objects = {change["object"] for _, _, change in events.until(lambda change: change["state"] == "COMPLETED")}
        self.assertEqual(objects, {shown})
        self.assertNotIn(hidden, objects)
        self.cli("tokens", "revoke", secret["token"]["id"]).ok()
        self.assertIsNone(events.until(lambda change: False)[-1])  # within a heartbeat or two

    def test_bad_questions(self):
        for query, status in (("?since=x", 400), ("?kinds=jobs", 400), ("?sinc=1-1", 400), ("?since=1-1&since=1-2", 400)):
            events = self.follow(query)
            self.assertEqual(events.status, status, query)
            self.assertEqual(json.loads(events.reply.read())["status"], status)
        self.assertEqual(self.follow("", self.tcp).status, 401)
        self.assertEqual(self.follow("", Last_Event_ID="nonsense").status, 400)

    def test_many_follow_and_come_and_go(self):
        everybody = [self.follow("?kinds=job") for _ in range(200)]
        for events in everybody[::2]:
            events.close()
        job = self.run_job()
        for events in everybody[1::2]:
            seen = events.until(lambda change: change["state"] == "COMPLETED")
            self.assertEqual(seen[-1][2]["object"], job)
        eventually(lambda: self.cli("status").code == 0, "others are answered")


class Restarts(Watching):
    options = {"nodes": 0}  # an agent would report at any time

    def restart(self):
        self.cluster.controller.kill()
        self.cluster.start_controller()

    def set_queue(self, name):
        self.cli("queues", "set", name).ok()

    def test_a_restart_in_which_nothing_happened_misses_nothing(self):
        events = self.follow()
        self.set_queue("before")
        last = events.until(lambda change: change["object"] == "before")[-1][0]
        for number in range(2):
            self.restart()
            events = self.follow(Last_Event_ID=last)
            self.set_queue(f"after-{number}")
            last, kind, change = events.next()
            self.assertEqual((kind, change["object"], change["state"]), ("queue", f"after-{number}", "PRESENT"))
        self.set_queue("last")
        self.assertEqual(events.next()[2]["object"], "last", "each change comes once")

    def test_what_changed_before_a_restart_and_was_not_read_is_missed(self):
        events = self.follow()
        for name in ("read", "not-read"):
            self.set_queue(name)
        last = events.until(lambda change: change["object"] == "read")[-1][0]
        self.restart()
        again = self.follow(Last_Event_ID=last)
        self.assertEqual(again.next()[1], "missed")
        self.set_queue("after")
        self.assertEqual(again.next()[2]["object"], "after")


class Log(ClusterTest):
    options = {"serve_flags": ("--log", "json"), "machine": "dgx-h100", "nodes": 1}

    def entries(self):
        return [json.loads(line) for line in self.cluster.controller.text().splitlines()]

    def test_every_line_is_one_of_the_log(self):
        job = self.cli.start("--name", "train", "--env", "SECRET=hidden", command=["sh", "-c", "sleep 1; exit 3"])
        self.assertEqual(self.cli.wait(job), 3)
        told = eventually(lambda: [one for one in self.entries() if one.get("job") == job][3:] and self.entries(), "the end of the job is in the log")
        life = [one for one in told if one.get("job") == job]
        self.assertEqual([one["event"] for one in life], ["job_submitted", "job_placed", "job_started", "job_ended"])
        self.assertEqual({(one["name"], one["user"], one["queue"]) for one in life}, {("train", "root", "default")})
        self.assertEqual((life[-1]["state"], life[-1]["exit_code"], life[-1]["level"]), ("FAILED", 3, "warning"))
        self.assertNotIn("hidden", self.cluster.controller.text())
        events = {one["event"] for one in told}
        self.assertLessEqual({"node_joined", "said"}, events)
        for one in told:
            self.assertRegex(one["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertIn(one["level"], ("info", "warning", "error"))


if __name__ == "__main__":
    main()
