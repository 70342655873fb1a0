"""An etcd of one member or several on loopback, for the time of a test."""

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import urllib.request

from .waiting import eventually

ETCD = "/usr/bin/etcd"


def missing():
    """What this host lacks for it, in words; empty: nothing."""
    return "" if os.path.exists(ETCD) else f"{ETCD} is missing: install etcd-server"


def _base64(text):
    return base64.b64encode(text.encode()).decode()


def _free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Etcd:
    """Its data is in memory where there is room: it syncs often, and tests need no disk for that."""

    def __init__(self, members=1):
        self.directory = tempfile.mkdtemp(prefix="gp-etcd-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.members = []
        self._ports = list(zip(_free_ports(members), _free_ports(members)))
        self._words = [self._command(k) for k in range(members)]

    def _command(self, k):
        client, peer = (f"http://127.0.0.1:{port}" for port in self._ports[k])
        everyone = ",".join(f"m{i}=http://127.0.0.1:{port}" for i, (_, port) in enumerate(self._ports))
        return [ETCD, "--name", f"m{k}", "--data-dir", f"{self.directory}/m{k}",
                "--listen-client-urls", client, "--advertise-client-urls", client,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", everyone, "--initial-cluster-state", "new",
                "--heartbeat-interval", "100", "--election-timeout", "1000", "--logger", "zap", "--log-level", "error"]

    def _start(self, k):
        with open(f"{self.directory}/m{k}.log", "ab") as log:
            return subprocess.Popen(self._words[k], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill(self, k):
        self.members[k].kill()
        self.members[k].wait()

    def start_again(self, k):
        self.members[k] = self._start(k)
        eventually(self._answers, lambda: f"etcd answers\n{self.text()}")

    def start(self):
        self.members = [self._start(k) for k in range(len(self._words))]
        eventually(self._answers, lambda: f"etcd answers\n{self.text()}")
        return self

    @property
    def store(self):
        """As the controller's --store takes it."""
        return "etcd:" + ",".join(f"http://127.0.0.1:{client}" for client, _ in self._ports)

    def keys(self, prefix):
        """All keys that begin with it, as one member tells by its HTTP API."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        question = {"key": _base64(prefix), "range_end": _base64(end), "keys_only": True}
        request = urllib.request.Request(f"http://127.0.0.1:{self._ports[0][0]}/v3/kv/range",
                                         json.dumps(question).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            found = json.load(answer).get("kvs", [])
        return sorted(base64.b64decode(entry["key"]).decode() for entry in found)

    def text(self):
        texts = []
        for k in range(len(self._ports)):
            with open(f"{self.directory}/m{k}.log", errors="replace") as log:
                texts.append(log.read()[-2000:])
        return "\n".join(texts)

    def close(self):
        for member in self.members:
            member.kill()
            member.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _answers(self):
        for client, _ in self._ports:
            try:
                socket.create_connection(("127.0.0.1", client), timeout=1).close()
            except OSError:
                return False
        return True
