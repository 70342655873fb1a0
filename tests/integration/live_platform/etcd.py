"""An etcd of one member or several, on loopback if not said otherwise, for the time of a test."""

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


def _free_ports(address, count):
    sockets = [socket.create_server((address, 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Etcd:
    """Its data is in memory where there is room: it syncs often, and tests need no disk for that."""

    def __init__(self, members=1, address="127.0.0.1", inside=None, identity=None):
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        self.directory = tempfile.mkdtemp(prefix="gp-etcd-", dir=inside or memory)
        self.address = address
        self._identity = identity  # files of a certificate and its key, for clients
        self.before = []  # words before each member's command
        self.members = []
        self._ports = list(zip(_free_ports(address, members), _free_ports(address, members)))
        self._words = [self._command(k) for k in range(members)]

    def _command(self, k):
        client, peer = self._url(k), f"http://{self.address}:{self._ports[k][1]}"
        encrypted = ["--cert-file", self._identity[0], "--key-file", self._identity[1]] if self._identity else []
        everyone = ",".join(f"m{i}=http://{self.address}:{port}" for i, (_, port) in enumerate(self._ports))
        return [ETCD, *encrypted, "--name", f"m{k}", "--data-dir", f"{self.directory}/m{k}",
                "--listen-client-urls", client, "--advertise-client-urls", client,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", everyone, "--initial-cluster-state", "new",
                "--heartbeat-interval", "100", "--election-timeout", "1000", "--logger", "zap", "--log-level", "error"]

    def _url(self, k):
        return f"{'https' if self._identity else 'http'}://{self.address}:{self._ports[k][0]}"

    def _start(self, k):
        with open(f"{self.directory}/m{k}.log", "ab") as log:
            return subprocess.Popen([*self.before, *self._words[k]], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

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

    def begin_again(self):
        """At the same addresses, without anything that was there."""
        for k, member in enumerate(self.members):
            member.kill()
            member.wait()
            shutil.rmtree(f"{self.directory}/m{k}")
        self.start()

    @property
    def store(self):
        """As the controller's --store takes it."""
        return "etcd:" + ",".join(self.urls)

    @property
    def urls(self):
        return [self._url(k) for k in range(len(self._ports))]

    @property
    def client_ports(self):
        return [client for client, _ in self._ports]

    def keys(self, prefix):
        """All keys that begin with it, as one member tells by its HTTP API."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        question = {"key": _base64(prefix), "range_end": _base64(end), "keys_only": True}
        request = urllib.request.Request(f"{self.urls[0]}/v3/kv/range",
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
        for client in self.client_ports:
            try:
                socket.create_connection((self.address, client), timeout=1).close()
            except OSError:
                return False
        return True
