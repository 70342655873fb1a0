"""A network namespace for each controller, with a bridge to this host: a link can be cut in one direction alone.

Names and folders carry the pid of the run.  What a run that was killed has left is removed by the next one.
"""

import os
import re
import shutil
import signal
import subprocess
import time

NFT = "/usr/sbin/nft"
IP = "/usr/sbin/ip"
NAMESPACES = "/run/netns"
RUNS = "/run"
_NAMED = re.compile(r"gp-chaos-(\d+)(?:-.*)?")
_BRIDGE = re.compile(r"gpb(\d+)")
_TABLE = "gp_chaos"


def missing():
    """What this host lacks for it, in words; empty: nothing."""
    for program, package in ((NFT, "nftables"), (IP, "iproute2")):
        if not os.path.exists(program):
            return f"{program} is missing: install {package}"
    return ""


def _ip(*words, check=True):
    return subprocess.run([IP, *map(str, words)], check=check, capture_output=True, text=True).stdout


def _is_dead(pid):
    return not os.path.exists(f"/proc/{pid}")


def _names(directory):
    return os.listdir(directory) if os.path.isdir(directory) else []


def _end_processes_in(namespace):
    """They belong to a run that is dead: nobody else enters a namespace of this name."""
    deadline = time.monotonic() + 10
    while pids := _ip("netns", "pids", namespace, check=False).split():
        for pid in pids:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        if time.monotonic() > deadline:
            return
        time.sleep(0.05)


def _unmount_below(directory):
    with open("/proc/self/mounts", encoding="utf-8") as file:
        points = [line.split()[1] for line in file]
    for point in sorted((one for one in points if one.startswith(directory + "/")), reverse=True):
        subprocess.run(["umount", "-l", point], check=False, capture_output=True)


def remove_runs(is_one):
    """Namespaces, bridges and folders of the runs whose pid `is_one`."""
    for name in _names(NAMESPACES):
        match = _NAMED.fullmatch(name)
        if match and is_one(match[1]):
            _end_processes_in(name)
            _ip("netns", "delete", name, check=False)
    for name in _names("/sys/class/net"):
        match = _BRIDGE.fullmatch(name)
        if match and is_one(match[1]):
            _ip("link", "delete", name, check=False)
    for name in _names(RUNS):
        match = _NAMED.fullmatch(name)
        if match and is_one(match[1]):
            _unmount_below(f"{RUNS}/{name}")
            shutil.rmtree(f"{RUNS}/{name}", ignore_errors=True)


class Networks:
    """`count` namespaces; `host` is this host's address on their bridge, and `folder` one of this run."""

    def __init__(self, count):
        remove_runs(_is_dead)
        pid = os.getpid()
        self.count = count
        self.folder = f"{RUNS}/gp-chaos-{pid}"
        self._bridge = f"gpb{pid}"
        self._links = [f"gpv{pid}c{k}" for k in range(1, count + 1)]
        self.namespaces = [f"gp-chaos-{pid}-c{k}" for k in range(1, count + 1)]
        self._network = self._free_network()
        self.host = f"{self._network}.1"
        self.addresses = [f"{self._network}.{10 + k}" for k in range(1, count + 1)]

    @staticmethod
    def _free_network():
        """Of 198.18.0.0/15, which is for tests of networks (RFC 2544)."""
        taken = _ip("-o", "-4", "address")
        return next(f"198.18.{k}" for k in range(256) if f" 198.18.{k}." not in taken)

    def make(self):
        os.makedirs(self.folder, mode=0o755)
        _ip("link", "add", self._bridge, "type", "bridge")
        _ip("address", "add", f"{self.host}/24", "dev", self._bridge)
        _ip("link", "set", self._bridge, "up")
        for link, namespace, address in zip(self._links, self.namespaces, self.addresses):
            _ip("netns", "add", namespace)
            _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace)
            _ip("link", "set", link, "master", self._bridge, "up")
            _ip("-n", namespace, "address", "add", f"{address}/24", "dev", "eth0")
            _ip("-n", namespace, "link", "set", "eth0", "up")
            _ip("-n", namespace, "link", "set", "lo", "up")

    def inside(self, k):
        """The words before a command that runs it in a namespace."""
        return ["/usr/bin/nsenter", f"--net={NAMESPACES}/{self.namespaces[k]}", "--"]

    def disk(self, name, size):
        """A small file system of its own."""
        path = f"{self.folder}/{name}"
        os.mkdir(path, 0o711)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=711", "tmpfs", path], check=True)
        return path

    def cut(self, k, incoming=(), outgoing=()):
        """Drops what comes into the namespace, or leaves it, and has one of these: "tcp sport {1, 2}"."""
        def chain(hook, rules):
            lines = "\n".join(f"{rule} drop" for rule in rules)
            return f"chain {hook} {{\ntype filter hook {hook} priority 0\n{lines}\n}}\n"
        text = f"table inet {_TABLE} {{\n{chain('input', incoming)}{chain('output', outgoing)}}}\n"
        subprocess.run([*self.inside(k), NFT, "-f", "-"], input=text, text=True, check=True)

    def heal(self, k):
        subprocess.run([*self.inside(k), NFT, "delete", "table", "inet", _TABLE], check=False, capture_output=True)

    def close(self):
        remove_runs(lambda pid: pid == str(os.getpid()))
