#!/usr/bin/python3
"""Clients whose answers are lost repeat their requests, and each change is made once."""

import os
import re
import select
import socket
import sys
import tempfile
import threading

from live_platform import Cli, ClusterTest, main

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "clients", "python"))
import gpu_platform  # noqa: E402


class Front:
    """Takes connections for the controller, each served on a thread of its own, until it is closed."""

    def listen(self, listener):
        self.listener = listener
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def close(self):
        self.listener.close()


class LosingSocket(Front):
    """A socket in front of the controller's: of each of the first `losses` requests it hides the answer."""

    def __init__(self, real, losses):
        self.real, self.losses, self.requests = real, losses, []
        self.directory = tempfile.mkdtemp(prefix="gp-losing-")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(os.path.join(self.directory, "http.sock"))
        listener.listen()
        self.listen(listener)

    @staticmethod
    def message(line):
        """One request or answer, with its body."""
        data = b""
        while b"\r\n\r\n" not in data:
            more = line.recv(65536)
            if not more:
                return b""
            data += more
        head = data.partition(b"\r\n\r\n")[0]
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        whole = len(head) + 4 + (int(length.group(1)) if length else 0)
        while len(data) < whole:
            data += line.recv(65536)
        return data

    def serve(self, client):
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self.real)
            while request := self.message(client):
                self.requests.append(request)
                server.sendall(request)
                answer = self.message(server)
                if self.losses > 0:
                    self.losses -= 1
                    return
                client.sendall(answer)


class LosingPort(Front):
    """A port in front of the controller's gRPC: it hides the answer to the first call of `method`, then closes the connection."""

    def __init__(self, port, method):
        self.real, self.path, self.requests = ("127.0.0.1", port), f"/gpu_platform.v1.Control/{method}".encode(), 0
        listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{listener.getsockname()[1]}"
        self.listen(listener)

    def serve(self, client):
        is_hidden = False
        with client, socket.create_connection(self.real) as server:
            while True:
                for line in select.select([client, server], [], [])[0]:
                    data = line.recv(65536)
                    if not data or (line is server and is_hidden):
                        return
                    if line is client and self.path in data:
                        self.requests += 1
                        is_hidden = self.requests == 1
                    (server if line is client else client).sendall(data)


class LostAnswers(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 1, "serve_flags": ("--listen", "127.0.0.1:0")}

    def losing(self, losses):
        line = LosingSocket(os.path.join(self.cluster.run_directory, "http.sock"), losses)
        self.addCleanup(line.close)
        return line

    def times(self, operation):
        """How often the audit has it."""
        entries = self.cli.json("audit", "list", "--operation", operation)["entries"]
        return sum(int(one["times"]) for one in entries)

    def test_of_the_command_line(self):
        token = self.cli.json("tokens", "create", "one")["token"]["id"]
        line = self.losing(2)
        cli = Cli(self.cli.binary, line.directory)
        cli("tokens", "revoke", token).ok()
        self.assertEqual(len(line.requests), 3)
        keys = {re.search(rb"(?i)idempotency-key: *(\S+)", request).group(1) for request in line.requests}
        self.assertEqual(len(keys), 1)
        self.assertEqual(self.times("RevokeToken"), 1)
        self.assertNotEqual(cli("tokens", "revoke", token).code, 0, "another request is no repeat")

        line.losses = 1
        cli("queues", "set", "nlp", "--weight", "2").ok()
        self.assertEqual(self.times("SetQueue"), 1)
        line.losses = 1
        cli("queues", "delete", "nlp").ok()
        self.assertEqual(self.times("DeleteQueue"), 1)
        line.losses, line.requests = 1, []
        cli("queues", "list").ok()
        self.assertEqual(len(line.requests), 2)
        self.assertNotIn(b"dempotency", line.requests[0], "a read needs no id")

    def test_of_the_command_line_over_grpc(self):
        secret = self.cli.json("tokens", "create", "far", "--role", "admin")["secret"]
        token = self.cli.json("tokens", "create", "two")["token"]["id"]
        port = LosingPort(self.cluster.grpc_port(), "RevokeToken")
        self.addCleanup(port.close)
        far = Cli(self.cli.binary, port.address, extra={"GPU_PLATFORM_TOKEN": secret})
        far("tokens", "revoke", token).ok()
        self.assertEqual(port.requests, 2)
        self.assertEqual(self.times("RevokeToken"), 1)
        self.assertNotEqual(far("tokens", "revoke", token).code, 0, "another request is no repeat")

    def test_of_the_python_client(self):
        line = self.losing(1)
        client = gpu_platform.Client(line.directory)
        job = client.submit(["sleep", "600"], gpus=1)
        line.losses = 1
        job.stop()
        self.assertEqual((self.times("SubmitJob"), self.times("StopJob")), (1, 1))
        line.losses = 1
        client.operations.set_queue("cv", weight=3)
        line.losses = 1
        client.operations.delete_queue("cv")
        self.assertEqual((self.times("SetQueue"), self.times("DeleteQueue")), (1, 1))
        client.operations.set_secret("hf", value="x")
        line.losses = 1
        client.operations.delete_secret("hf")
        self.assertEqual(self.times("DeleteSecret"), 1)


if __name__ == "__main__":
    main()
