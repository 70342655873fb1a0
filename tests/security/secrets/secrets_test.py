#!/usr/bin/python3
"""Secrets are nowhere but where they belong: in nothing that the platform writes, shows or says.

A cluster lives through a day with tokens, a join token and certificates; then everything that it left is searched."""

import json
import os
import pathlib
import re
import resource
import socket
import subprocess

from live_platform import ClusterTest, Cli, UnixConnection, main

ANA = 1234


class Secrets(ClusterTest):
    options = {"serve_flags": ("--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"), "machine": "dgx-h100", "nodes": 1}

    @classmethod
    def setUpClass(cls):
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))  # where it is the platform's own choice

    def files_with(self, secret):
        """Below the cluster's directory, by their path from there."""
        root = pathlib.Path(self.cluster.directory)
        return sorted(str(file.relative_to(root)) for file in root.rglob("*") if file.is_file() and secret.encode() in file.read_bytes())

    def said_of(self, secret):
        """What the controller and the kernel tell of it, as anybody may ask."""
        line = UnixConnection(os.path.join(self.cluster.run_directory, "http.sock"))
        told = [subprocess.run(["ps", "axeww"], capture_output=True, text=True, check=True).stdout]
        for target in ("/metrics", "/api/v1/tokens?all=true", "/api/v1/audit", "/api/v1/cluster?readings=true", "/api/v1/jobs?all=true", "/api/v1/self", "/openapi.json"):
            line.request("GET", target)
            told.append(line.getresponse().read().decode())
        line.close()
        return [text for text in told if secret in text]

    def raw(self, data):
        port = self.cluster.http_port()
        with socket.create_connection(("127.0.0.1", port), 10) as line:
            line.sendall(data)
            return line.recv(65536)

    def test_tokens_are_shown_once(self):
        ana = self.cli.as_user(ANA)
        reply = ana.json("tokens", "create", "laptop")
        secret = reply["secret"]
        remote = Cli(self.cli.binary, self.cli.server, ANA, {"GPU_PLATFORM_TOKEN": secret})
        job = ana.by_token(secret).start("--gpus", "1", command=["true"])
        self.assertEqual(ana.by_token(secret).wait(job), 0)
        for bad in (secret[:-1] + "x", secret + "0", secret.upper()):
            refused = Cli(self.cli.binary, self.cli.server, ANA, {"GPU_PLATFORM_TOKEN": bad})("jobs", "list")
            self.assertNotEqual(refused.code, 0)
            self.assertNotIn(bad[8:], refused.out + refused.err)
        for data in (f"GET /api/v1/jobs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {secret}x\r\n\r\n", f"GET /api/v1/jobs HTTP/1.1\r\nHost: a\r\nAuthorization: Basic {secret}\r\n\r\n",
                     f"GET /api/v1/jobs HTTP/1.1\r\nHost: {secret} x\r\n\r\n", f"GET /api/v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: {secret}\r\n\r\n"):
            told = self.raw(data.encode())
            self.assertRegex(told[:15], rb"HTTP/1.1 40[01] ")
            self.assertNotIn(secret.encode(), told)
        remote("jobs", "list")
        ana("tokens", "revoke", reply["token"]["id"]).ok()
        self.assertEqual(self.files_with(secret), [])
        self.assertEqual(self.files_with(secret.removeprefix("gpp_")), [])
        self.assertEqual(self.said_of(secret), [])
        self.assertEqual(self.said_of(secret.removeprefix("gpp_")), [])

    def test_the_join_token_stays_in_its_file(self):
        file = os.path.join(self.cluster.state, "join-token")
        secret = pathlib.Path(file).read_text(encoding="utf-8").strip()
        self.assertEqual(os.stat(file).st_mode & 0o777, 0o600)
        self.assertEqual(self.files_with(secret), ["state/join-token"])
        self.assertEqual(self.said_of(secret), [])

    def test_what_is_secret_is_not_readable_for_others(self):
        for place in (self.cluster.state, self.cluster.agent_state(0)):
            for file in pathlib.Path(place).rglob("*"):
                if re.search(r"(token|key|\.pem|journal\.db|audit)", file.name) and file.is_file():
                    owner_only = file.stat().st_mode & 0o077 == 0 or any(parent.stat().st_mode & 0o077 == 0 for parent in file.parents if str(parent).startswith(place))
                    self.assertTrue(owner_only, f"{file}: {oct(file.stat().st_mode)}")

    def test_programs_that_die_leave_no_picture_of_their_memory(self):
        for daemon in (self.cluster.controller, *self.cluster.agents):
            limits = pathlib.Path(f"/proc/{daemon.pid}/limits").read_text(encoding="utf-8")
            self.assertRegex(limits, r"Max core file size +0 ", daemon.name)


if __name__ == "__main__":
    main()
