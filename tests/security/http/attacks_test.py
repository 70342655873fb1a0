#!/usr/bin/python3
"""Attacks on the controller's HTTP: requests that are none, requests in requests, readers that never end.

Each malformed request is followed by a sound one for a place that there is not.  The first must be refused, or the
connection closed; the second must never be answered: whoever cannot tell where a request ends reads no further.  A
front end of another mind, whose users share our connection, so cannot be made to pass on a hidden request."""

import os
import random
import re
import resource
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../integration"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import malformed  # noqa: E402
from live_platform import ClusterTest, eventually, main  # noqa: E402

HALF_OPEN = int(os.environ.get("GP_HALF_OPEN", "1000"))  # above 4,096 the controller takes no more of strangers
SLOW_SECONDS = float(os.environ.get("GP_SLOW_SECONDS", "3"))  # from 35 on, all of the slow must be cut off by then
MUTATIONS = int(os.environ.get("GP_MUTATIONS", "2000"))
SOUND = malformed.get()


class Attacks(ClusterTest):
    options = {"serve_flags": ("--http", "127.0.0.1:0"), "nodes": 0}

    def setUp(self):
        super().setUp()
        self.port = self.cluster.http_port()

    def line(self):
        line = socket.create_connection(("127.0.0.1", self.port), 10)
        line.settimeout(10)
        return line

    def statuses(self, data):
        """Of all answers until the controller closes; [] where it closes without one."""
        told = b""
        with self.line() as line:
            try:
                line.sendall(data)
                line.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # it does not read to the end
            try:
                while part := line.recv(65536):
                    told += part
            except ConnectionResetError:
                pass
        return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d\d\d) ", told)]

    def test_what_is_malformed_ends_the_connection(self):
        count = 0
        for name, data in malformed.cases():
            count += 1
            with self.subTest(name.decode("latin-1")):
                statuses = self.statuses(data)
                self.assertLessEqual(len(statuses), 1)
                self.assertTrue(all(400 <= status < 500 and status not in (401, 404) for status in statuses), statuses)
        print(f"{count} malformed requests", flush=True)
        self.assertGreaterEqual(count, 200)
        self.cli("status").ok()

    def test_requests_behind_each_other_are_answered_in_turn(self):
        self.assertEqual(self.statuses(SOUND + b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n" + SOUND + malformed.BEHIND), [401, 200, 401, 404])
        chunked = malformed.post([b"Transfer-Encoding: chunked"], b"1\r\n{\r\n1\r\n}\r\n0\r\nTrailer: x\r\n\r\n")
        self.assertEqual(self.statuses(chunked + SOUND), [401, 401])
        self.assertEqual(self.statuses(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n" * 1000), [200] * 1000)

    def test_what_stands_behind_the_body_is_no_header(self):
        secret = self.cli.json("tokens", "create", "trailer")["secret"].encode()
        body = b"2\r\n{}\r\n0\r\nAuthorization: Bearer " + secret + b"\r\n\r\n"
        self.assertEqual(self.statuses(malformed.post([b"Transfer-Encoding: chunked"], body)), [401])

    def test_who_opens_connections_and_says_nothing_keeps_nobody_out(self):
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit[1], HALF_OPEN + 1000), limit[1]))
        lines = []
        self.addCleanup(lambda: [line.close() for line in lines])
        for _ in range(HALF_OPEN):
            lines.append(self.line())
            lines[-1].sendall(SOUND[:20])
        self.cli("status").ok()  # on its own machine
        if HALF_OPEN < 4096:
            self.assertEqual(self.statuses(SOUND), [401])
        for line in lines:
            line.close()
        eventually(lambda: self.statuses(SOUND) == [401], "strangers are answered again")

    def test_who_is_slow_keeps_nobody_waiting(self):
        slow = [self.line() for _ in range(50)]
        self.addCleanup(lambda: [line.close() for line in slow])
        begun = time.monotonic()
        at, left = 0, list(slow)
        while left and time.monotonic() - begun < SLOW_SECONDS:
            for line in list(left):
                try:
                    line.sendall(SOUND[at % len(SOUND):][:1] if at < len(malformed.LINE) else b"a")
                except OSError:
                    left.remove(line)
            at += 1
            self.assertEqual(self.statuses(SOUND), [401])  # others are served meanwhile
            time.sleep(0.2)
        if SLOW_SECONDS >= 35:
            self.assertEqual(left, [])

    def test_changed_bytes_hurt_nobody(self):
        rng = random.Random(1)
        sound = [SOUND, malformed.post([b"Content-Length: 2"], b"{}"), malformed.post([b"Transfer-Encoding: chunked"], b"2\r\n{}\r\n0\r\n\r\n"),
                 malformed.get(b"Authorization: Bearer gpp_" + b"0" * 64, b"If-None-Match: \"x\"", b"Accept: text/event-stream", b"Last-Event-ID: 1-2")]
        for number in range(MUTATIONS):
            data = bytearray(rng.choice(sound))
            for _ in range(rng.randrange(1, 6)):
                at = rng.randrange(len(data))
                way = rng.randrange(4)
                if way == 0:
                    data[at] = rng.randrange(256)
                elif way == 1:
                    del data[at:at + rng.randrange(1, 20)]
                elif way == 2:
                    data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 20)))
                else:
                    data[at:at] = data[:rng.randrange(len(data))]
                data = data or bytearray(b"G")
            statuses = self.statuses(bytes(data))
            self.assertTrue(all(200 <= status < 500 for status in statuses), (number, bytes(data), statuses))
        self.assertTrue(self.cluster.controller.runs())
        self.cli("status").ok()


if __name__ == "__main__":
    main()
