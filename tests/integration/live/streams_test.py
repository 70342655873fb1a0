#!/usr/bin/python3
"""A job's changes and its output over HTTP, while it runs."""

import base64
import http.client
import json
import threading
import time

from live_platform import ClusterTest, Events, UnixConnection, eventually, main

ANA = 1234


class Streams(ClusterTest):
    options = {"serve_flags": ("--http", "127.0.0.1:0"), "machine": "dgx-h100", "nodes": 1}

    def setUp(self):
        super().setUp()
        self.port = self.cluster.http_port()

    def connection(self, timeout=30):
        return UnixConnection(f"{self.cluster.run_directory}/http.sock", timeout)

    def follow(self, path, connection=None, **headers):
        events = Events(connection or self.connection(), path, {name.replace("_", "-"): value for name, value in headers.items()})
        self.addCleanup(events.close)
        return events

    def get(self, path, **headers):
        line = self.connection()
        line.request("GET", path, headers=headers)
        answer = line.getresponse()
        body = answer.read()
        line.close()
        return answer.status, answer.getheader("Content-Type"), body

    def start(self, script):
        return self.cli.start("--gpus", "1", command=["sh", "-c", script])

    def test_a_job_is_told_at_each_change_until_its_end(self):
        job = self.start("sleep 1; exit 3")
        events = self.follow(f"/api/v1/jobs/{job}/events")
        self.assertEqual((events.status, events.reply.getheader("Content-Type")), (200, "text/event-stream"))
        seen = []
        while (event := events.next()) is not None:
            seen.append(event)
        self.assertEqual([kind for _, kind, _ in seen], ["job"] * (len(seen) - 1) + ["end"])
        self.assertEqual({data["id"] for _, kind, data in seen[:-1]}, {job})
        self.assertEqual((seen[-2][2]["state"], seen[-2][2]["exit_code"]), ("FAILED", 3))
        self.assertIn("RUNNING", [data["state"] for _, kind, data in seen[:-1]])

    def test_output_is_followed_as_it_is_written(self):
        job = self.start("echo one; sleep 1; printf '\\377\\000two'; echo wrong >&2")
        line = self.connection()
        line.request("GET", f"/api/v1/jobs/{job}/log?follow=true")
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "it runs")
        answer = line.getresponse()
        self.assertEqual((answer.status, answer.getheader("Content-Type")), (200, "text/plain; charset=utf-8"))
        self.assertEqual(answer.read1(100), b"one\n")  # before the rest is there
        self.assertEqual(answer.read(), b"\xff\0two")
        line.close()
        self.assertEqual(self.get(f"/api/v1/jobs/{job}/log")[2], b"one\n\xff\0two")
        self.assertEqual(self.get(f"/api/v1/jobs/{job}/log?offset=2")[2], b"e\n\xff\0two")
        self.assertEqual(self.get(f"/api/v1/jobs/{job}/log?offset=-3")[2], b"two")
        self.assertEqual(self.get(f"/api/v1/jobs/{job}/log?errors=true")[2], b"wrong\n")

    def test_events_of_output_say_where_to_go_on(self):
        job = self.start("for i in $(seq 100); do echo line $i; [ $((i % 10)) = 0 ] && sleep 0.1; done; true")
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "it runs")
        path, output, last = f"/api/v1/jobs/{job}/log?follow=true", b"", {}
        for _ in range(3):  # cut off in the middle, twice
            events = self.follow(path, Accept="text/event-stream", **last)
            for name, kind, data in iter(events.next, None):
                if kind == "end":
                    break
                self.assertEqual((kind, data["attempt"], data["offset"]), ("log", 1, len(output)))
                output += base64.b64decode(data["data"])
                last = {"Last_Event_ID": name}
                if _ < 2 and len(output) > 200 * (_ + 1):
                    break
            events.close()
        self.assertEqual(output, "".join(f"line {n}\n" for n in range(1, 101)).encode())
        self.assertEqual(kind, "end")

    def test_nothing_is_lost_where_the_controller_is_killed(self):
        job = self.start("n=0; while [ $n -lt 2000 ]; do n=$((n+1)); echo line $n; [ $((n % 100)) = 0 ] && sleep 0.1; done; true")
        output, last, is_over = b"", {}, threading.Event()

        def kill_often():
            for _ in range(3):
                time.sleep(0.4)
                self.cluster.controller.kill()
                self.cluster.start_controller()

        killer = threading.Thread(target=kill_often)
        killer.start()
        while not is_over.is_set():
            try:
                events = Events(self.connection(), f"/api/v1/jobs/{job}/log?follow=true", {"Accept": "text/event-stream", **last})
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
                continue
            if events.status != 200:  # it begins, or its agent is not back yet
                self.assertIn(events.status, (404, 409, 503), events.reply.read())
                time.sleep(0.05)
            for name, kind, data in iter(events.next, None) if events.status == 200 else ():
                if kind == "end":
                    is_over.set()
                    break
                self.assertEqual(data["offset"], len(output))
                output += base64.b64decode(data["data"])
                last = {"Last-Event-ID": name}
            events.close()
        killer.join()
        self.assertEqual(output, "".join(f"line {n}\n" for n in range(1, 2001)).encode())
        self.assertEqual(self.cli.wait(job), 0)

    def test_what_is_in_the_way_is_said_before_anything_is_sent(self):
        waiting = self.cli.start("--gpus", "8", "--nodes", "2", "--queue", "default", "--wait-for-nodes", command=["true"])
        for path, status, code in ((f"/api/v1/jobs/{waiting}/log", 409, "conflict"), ("/api/v1/jobs/job-9513/log", 404, "not-found"),
                                   ("/api/v1/jobs/job-9513/events", 404, "not-found"), (f"/api/v1/jobs/{waiting}/log?offset=x", 400, "invalid-argument")):
            with self.subTest(path):
                got, kind, body = self.get(path)
                self.assertEqual((got, kind, json.loads(body)["code"]), (status, "application/problem+json", code))
        self.cli("jobs", "cancel", waiting).ok()

    def test_it_ends_with_the_token(self):
        secret = self.cli.as_user(ANA).json("tokens", "create", "test", "--role", "user")
        job = self.cli.by_token(secret["secret"]).start("--gpus", "1", command=["sh", "-c", "echo on; sleep 1000"])
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "it runs")
        events = self.follow(f"/api/v1/jobs/{job}/log?follow=true", http.client.HTTPConnection("127.0.0.1", self.port, timeout=40),
                             Accept="text/event-stream", Authorization=f"Bearer {secret['secret']}")
        self.assertEqual(base64.b64decode(events.next()[2]["data"]), b"on\n")
        self.cli("tokens", "revoke", secret["token"]["id"]).ok()
        begun = time.monotonic()
        self.assertIsNone(events.next())
        self.assertLess(time.monotonic() - begun, 25)

    def test_many_come_and_go(self):
        job = self.start("echo here; sleep 1000")
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "it runs")
        path = f"/api/v1/jobs/{job}/log?follow=true"

        def open_one():
            events = self.follow(path, Accept="text/event-stream")
            return events if events.status == 200 else None

        for _ in range(4):  # together more than one user may have at once
            everybody = [eventually(open_one, "those that are gone leave room") for _ in range(50)]
            for events in everybody:
                self.assertEqual(base64.b64decode(events.next()[2]["data"]), b"here\n")
            for events in everybody:
                events.close()
        everybody = [eventually(open_one, "those that are gone leave room") for _ in range(64)]
        refused = self.follow(path)
        self.assertEqual((refused.status, json.loads(refused.reply.read())["code"]), (503, "unavailable"))
        secret = self.cli.as_user(ANA).json("tokens", "create", "test")["secret"]
        other = self.cli.by_token(secret).start("--gpus", "1", command=["sh", "-c", "echo mine"])
        self.cli.wait(other)
        events = self.follow(f"/api/v1/jobs/{other}/log", http.client.HTTPConnection("127.0.0.1", self.port, timeout=30), Authorization=f"Bearer {secret}")
        self.assertEqual((events.status, events.reply.read()), (200, b"mine\n"))  # others have their own
        for events in everybody:
            events.close()
        eventually(open_one, "those that are gone leave room")


if __name__ == "__main__":
    main()
