#!/usr/bin/python3
"""The API over HTTP on a real controller: the same answers as the command line's, problems with their place, tokens, and
pages.  Every answer is held against the OpenAPI document that the controller itself gives."""

import http.client
import json
import os
import re
import socket
import threading
import time

from live_platform import ClusterTest, Contract, UnixConnection, eventually, main

ANA = 1234


class Rest(ClusterTest):
    options = {"serve_flags": ("--http", "127.0.0.1:0"), "machine": "dgx-h100", "nodes": 1}

    def setUp(self):
        super().setUp()
        self.socket = os.path.join(self.cluster.run_directory, "http.sock")
        self.contract = Contract(self.ok("GET", "/openapi.json"))
        self.port = self.cluster.http_port()

    def ask(self, method, path, body=None, headers=None, connection=None):
        line = connection or UnixConnection(self.socket)
        line.request(method, path, None if body is None else json.dumps(body), headers or {})
        answer = line.getresponse()
        document = json.loads(answer.read())
        if connection is None:
            line.close()
        if path != "/openapi.json":
            self.contract.judge(method, path, answer.status, document)
        return answer.status, document

    def ok(self, method, path, body=None, **options):
        status, document = self.ask(method, path, body, **options)
        self.assertIn(status, (200, 201), document)
        return document

    def over_tcp(self, secret=None, **headers):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        self.addCleanup(line.close)
        if secret:
            headers["Authorization"] = f"Bearer {secret}"
        return lambda method, path, body=None: self.ask(method, path, body, headers, line)

    def raw(self, data, tcp=True):
        line = socket.create_connection(("127.0.0.1", self.port), 10) if tcp else socket.socket(socket.AF_UNIX)
        with line:
            line.sendall(data)
            line.settimeout(10)
            text = b""
            try:
                while part := line.recv(65536):
                    text += part
            except (ConnectionResetError, TimeoutError):
                pass
        return text

    def test_answers_are_those_of_the_command_line(self):
        job = self.ok("POST", "/api/v1/jobs", {"specs": [{"name": "a", "command": ["sleep", "1000"]}]})["job_ids"][0]
        eventually(lambda: self.ok("GET", f"/api/v1/jobs/{job}")["state"] == "RUNNING", "it runs")
        for path, words in ((f"/api/v1/jobs/{job}", ("jobs", "describe", job)), ("/api/v1/queues", ("queues", "list")),
                            ("/api/v1/reservations", ("reservations", "list")), ("/api/v1/incidents", ("incidents", "list")),
                            ("/api/v1/self", ("whoami",)), ("/api/v1/roles", ("roles", "list"))):
            with self.subTest(path):
                told, typed = self.ok("GET", path), self.cli.json(*words)
                self.assertEqual(told.keys(), typed.keys())
        self.assertEqual([one["id"] for one in self.ok("GET", "/api/v1/jobs?limit=10")["jobs"]], [one["id"] for one in self.cli.jobs()])
        self.assertEqual(self.ok("POST", f"/api/v1/jobs/{job}:stop")["id"], job)
        self.assertEqual(self.cli.wait(job), 130)

    def test_everything_there_is_to_see_is_as_the_contract_says(self):
        job = self.ok("POST", "/api/v1/jobs", {"specs": [{"command": ["sleep", "1000"], "gpus": {"count": 2}}]})["job_ids"][0]
        eventually(lambda: self.ok("GET", f"/api/v1/jobs/{job}")["state"] == "RUNNING", "it runs")
        self.ok("PUT", "/api/v1/queues/research", {"weight": 2})
        self.ok("PUT", "/api/v1/queues/research%2Fnlp", {})
        self.ok("PUT", "/api/v1/roles/ana", {"role": "operator", "queue": "research"})
        token = self.ok("POST", "/api/v1/tokens", {"label": "t"})["token"]["id"]
        for path in ("cluster?readings=true", "jobs?all=true", "queues", "reservations", "incidents", "moves", "roles", "tokens?all=true", "self", "audit?limit=5"):
            self.ok("GET", f"/api/v1/{path}")
        self.ok("POST", "/api/v1/jobs:explain", {"spec": {"command": ["true"], "gpus": {"count": 8}}, "forecast": True, "nodes": True})
        self.ok("POST", f"/api/v1/jobs/{job}:prioritize", {"priority": 700})
        self.ok("POST", "/api/v1/cluster:service", {"node": "dgx-h100-0", "action": "DRAIN", "reason": "test"})
        self.ok("POST", "/api/v1/cluster:service", {"node": "dgx-h100-0", "action": "ONLINE"})
        self.ok("PATCH", "/api/v1/nodes/dgx-h100-0", {"labels": {"zone": "a"}})
        self.ok("POST", "/api/v1/jobs:change", {"name": job, "action": "KILL"})
        self.ok("DELETE", f"/api/v1/tokens/{token}")
        self.assertEqual(self.cli.wait(job), 130)
        begin_ms = (int(time.time()) + 3600) * 1000
        self.ok("PUT", "/api/v1/reservations/night", {"count": 1, "start_ms": begin_ms, "end_ms": begin_ms + 3_600_000})
        self.ok("GET", "/api/v1/reservations")
        self.ok("DELETE", "/api/v1/reservations/night")
        self.ok("DELETE", "/api/v1/queues/research%2Fnlp")
        self.assertGreaterEqual(len(self.contract.judged), 23)

    def test_problems_name_their_place(self):
        status, problem = self.ask("POST", "/api/v1/jobs", {"specs": [{"gpus": {"count": -1}, "command": ["true"]}]})
        self.assertEqual((status, problem["code"]), (400, "invalid-argument"))
        self.assertIn("gpus.count", problem["detail"])
        status, problem = self.ask("POST", "/api/v1/jobs", {"specs": [{"nodse": 1}]})
        self.assertEqual(problem["errors"][0]["pointer"], "/specs/0/nodse")
        self.assertIn("nodes", problem["errors"][0]["detail"])
        self.assertEqual(self.ask("GET", "/api/v1/jobs/job-9513")[0], 404)

    def test_over_tcp_a_token_is_needed(self):
        self.assertEqual(self.over_tcp()("GET", "/api/v1/jobs")[0], 401)
        self.assertEqual(self.over_tcp("gpp_" + "0" * 64)("GET", "/api/v1/jobs")[0], 401)
        secret = self.cli.as_user(ANA).json("tokens", "create", "test")["secret"]
        ask = self.over_tcp(secret)
        self.assertEqual(ask("GET", "/api/v1/self")[1]["user"], f"uid-{ANA}")
        self.assertEqual(ask("PUT", "/api/v1/queues/x", {})[0], 403)
        self.assertEqual(ask("POST", "/api/v1/jobs", {"specs": [{"command": ["true"]}]})[0], 201)
        self.assertEqual(self.over_tcp(secret, Origin="http://evil.example")("GET", "/api/v1/jobs")[0], 403)

    def test_a_repeated_submit_is_one_job(self):
        answers = set()

        def submit():
            answers.add(tuple(self.ok("POST", "/api/v1/jobs", {"specs": [{"command": ["true"]}]}, headers={"Idempotency-Key": "one"})["job_ids"]))

        threads = [threading.Thread(target=submit) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), 1)
        self.assertEqual(self.ok("GET", "/api/v1/jobs?all=true")["total"], 1)

    def test_a_job_that_stands_alone_is_refused_with_what_to_send(self):
        flat = {"name": "bert", "gpu": 1, "command": "echo $GP_GPUS_PER_NODE"}
        for path in ("/api/workloads/submit", "/api/v1/jobs"):
            status, problem = self.ask("POST", path, flat)
            self.assertEqual((status, problem["code"]), (400, "invalid-argument"))
            self.assertRegex(problem["detail"], 'send it as "example" has it$')
            (job,) = self.ok("POST", path, problem["example"])["job_ids"]  # as it is
            self.assertEqual(self.cli.wait(job), 0)
            self.assertEqual(self.cli("jobs", "logs", job).ok().out, "1\n")
        self.assertNotIn("example", self.ask("POST", "/api/v1/jobs", {"specs": [{"nodse": 1}]})[1])

    def test_answers_belong_to_who_asked(self):
        with_secret = self.raw(b"GET /api/v1/jobs HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer gpp_secret\r\n\r\n")
        self.assertNotIn(b"gpp_secret", with_secret)
        self.assertIn(b"401", with_secret[:20])
        head = self.raw(b"HEAD /api/v1/self HTTP/1.1\r\nHost: a\r\n\r\n")  # closed behind the answer: its body is not the next one
        self.assertIn(b"405", head[:20])

    def test_pages_are_everybodys_and_hold_nothing(self):
        for path, kind in (("/", "text/html"), ("/app.js", "text/javascript"), ("/app.css", "text/css"), ("/icon.svg", "image/svg+xml")):
            answer = self.raw(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
            head, _, body = answer.partition(b"\r\n\r\n")
            self.assertIn(b"200", head[:20])
            self.assertIn(kind.encode(), head)
            self.assertIn(b"Content-Security-Policy: default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'", head)
            self.assertIn(b"X-Frame-Options: DENY", head)
            self.assertNotEqual(body, b"")
            (tag,) = re.findall(rb'ETag: (".*?")', head)
            again = self.raw(b"GET " + path.encode() + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\nIf-None-Match: " + tag + b"\r\n\r\n")
            self.assertIn(b"304", again[:20])
        self.assertIn(b"403", self.raw(b"GET / HTTP/1.1\r\nHost: a\r\nOrigin: http://evil.example\r\nConnection: close\r\n\r\n")[:20])


if __name__ == "__main__":
    main()
