"""A cgroup of its own for everything that one test starts.

Agents make their jobs' cgroups below their own, so the sandbox holds every process of a test, jobs
and supervisors included, however far they detach themselves.  That makes "nothing is left over" a
question to the kernel, and lets several clusters live on one host side by side.
"""

import os
import re
import signal
import time

from .waiting import TimedOut


def _own_cgroups():
    """[(directory of our own cgroup, is it version 2)], one for each hierarchy mounted."""
    mounts = []
    with open("/proc/self/mountinfo") as file:
        for line in file:
            fields = line.split()
            kind, _, options = fields[fields.index("-") + 1:][:3]
            if kind in ("cgroup", "cgroup2"):
                mounts.append((fields[3], fields[4], kind == "cgroup2", set(options.split(","))))
    found = []
    with open("/proc/self/cgroup") as file:
        for line in file:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            for root, point, unified, options in mounts:
                names = set(controllers.split(",")) if controllers else set()
                if unified != (not controllers) or not names <= options:
                    continue
                if path.startswith(root):
                    below = path[len(root):] if root != "/" else path
                    found.append((os.path.normpath(point + "/" + below), unified))
                    break  # some are mounted at several places
    return found


def _write(path, text):
    with open(path, "w") as file:
        file.write(text)


def _read(path):
    with open(path) as file:
        return file.read()


def _make(path, unified):
    os.mkdir(path)
    parent = os.path.dirname(path)
    for name in ("cpuset.cpus", "cpuset.mems"):  # version 1: empty, and then nobody may join
        if not unified and os.path.exists(f"{path}/{name}"):
            _write(f"{path}/{name}", _read(f"{parent}/{name}"))


def _delegate(path):
    """Lets children use what limits this host offers; where it does not, jobs have none."""
    for controller in ("cpuset", "memory", "pids"):
        try:
            _write(f"{path}/cgroup.subtree_control", f"+{controller}")
        except OSError:
            pass


class Sandbox:
    def __init__(self, name):
        self.name = name
        self.roots = []
        for own, unified in _own_cgroups():
            if unified:
                _delegate(own)
            root = f"{own}/{name}"
            _make(root, unified)
            if unified:
                _delegate(root)
            self.roots.append((root, unified))

    def place(self, part):
        """The cgroups of one daemon, as a function that a new process joins them with."""
        files = []
        for root, unified in self.roots:
            path = f"{root}/{part}"
            if not os.path.isdir(path):
                _make(path, unified)
            # Once an agent has children with limits, only a leaf may hold processes.
            leaf = f"{path}/agent" if unified and os.path.isdir(f"{path}/agent") else path
            files.append(f"{leaf}/cgroup.procs")

        def join():
            for file in files:
                _write(file, "0")

        return join

    def processes(self):
        """Pids of all that live in here."""
        pids = set()
        for root, _ in self.roots:
            for directory, _, files in os.walk(root):
                try:
                    pids.update(map(int, _read(f"{directory}/cgroup.procs").split()))
                except OSError:
                    pass
        return pids

    def process_of(self, *words):
        """Pid of the one process in here with this command line."""
        def line(pid):
            try:
                return _read(f"/proc/{pid}/cmdline").split("\0")[:-1]
            except OSError:
                return []
        found, = [pid for pid in self.processes() if line(pid) == list(words)]
        return found

    def leases(self):
        """Lease id -> pids in its cgroup, over all agents and hierarchies."""
        found = {}
        for root, _ in self.roots:
            for directory, _, _ in os.walk(root):
                if re.fullmatch(r"lease-[0-9a-z]+", os.path.basename(directory)):
                    pids = found.setdefault(os.path.basename(directory), set())
                    try:
                        pids.update(map(int, _read(f"{directory}/cgroup.procs").split()))
                    except OSError:
                        pass
        return found

    def agent_roots(self):
        """The cgroups that agents made for those of their leases."""
        return [f"{directory}/{name}" for root, _ in self.roots for directory, names, _ in os.walk(root)
                for name in names if re.fullmatch(r"gpu-platform-[0-9a-z]{13}", name)]

    def close(self):
        deadline = time.monotonic() + 20
        while self.processes():
            for pid in self.processes():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if time.monotonic() > deadline:
                raise TimedOut(f"{self.name}: cannot be killed: {sorted(self.processes())}")
            time.sleep(0.02)
        for root, _ in self.roots:
            for directory, _, _ in os.walk(root, topdown=False):
                self._remove(directory, deadline)
        self.roots = []

    @staticmethod
    def _remove(directory, deadline):
        while True:
            try:
                return os.rmdir(directory)
            except FileNotFoundError:
                return None
            except OSError:  # busy for a moment after the last process has gone
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
