"""Three controllers in networks of their own, an etcd of three members and eight nodes, all as processes."""

import json
import os
import shutil
import ssl
import struct
import subprocess
import time
import urllib.request

from live_platform import UnixConnection, eventually
from live_platform.controllers import Controllers
from live_platform.etcd import Etcd

PORT = 7070
READS_PORT = 7443
MOST_UNTIL_WELL_S = 90.0
# What a controller may end with by itself: it cannot go on (1), or another one leads (4).
ENDS_BY_ITSELF = (1, 4)
# Whatever happens to the harness, nothing of it stays.
_DIES_WITH_US = ["/usr/bin/setpriv", "--pdeathsig", "KILL"]


def _write_clock(path, seconds):
    """In place: programs with the library wall_clock have the file mapped."""
    with open(path, "r+b" if os.path.exists(path) else "wb") as file:
        file.write(struct.pack("=q", int(seconds * 1e9)))


def _by_clock(wall_clock, path):
    """The words before a command whose wall clock is off by what is in the file."""
    return ["/usr/bin/env", f"LD_PRELOAD={wall_clock}", f"WALL_CLOCK_OFF={path}"] if wall_clock else []


def _make_identity(networks, wall_clock):
    """A certificate of etcd's members, which vouches for itself, and its key.  It is valid since yesterday: a controller whose
    clock is behind is to use it."""
    certificate, key = f"{networks.folder}/etcd.pem", f"{networks.folder}/etcd-key.pem"
    yesterday = f"{networks.folder}/yesterday"
    _write_clock(yesterday, -86400)
    subprocess.run([*_by_clock(wall_clock, yesterday), "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-keyout", key, "-out", certificate, "-subj", "/CN=etcd", "-addext", f"subjectAltName=IP:{networks.host}"],
                   check=True, capture_output=True)
    return certificate, key


class Unhealthy(AssertionError):
    """After a fault was healed, the cluster did not become well again."""


class Fleet(Controllers):
    """`take_overs` and `own_ends` (name, exit code) are what happened to the controllers so far."""

    def __init__(self, binary, networks, wall_clock="", nodes=8, disk="128M", **options):
        self.networks = networks
        self.has_clocks = bool(wall_clock)
        self._identity = _make_identity(networks, wall_clock)
        etcd = Etcd(3, networks.host, networks.disk("etcd", "8G"), self._identity)
        etcd.before = _DIES_WITH_US
        super().__init__(binary, controllers=networks.count, etcd=etcd, nodes=nodes, **options)
        self.own_ends = []
        self._agents_at_start = []
        self._clocks = [self._clock(k) for k in range(networks.count)]
        for k, one in enumerate(self.controllers):
            self._put_into_network(k, one, wall_clock, disk)
        self.state, self.run_directory = self.places[self.controller]
        everywhere = ",".join(f"{address}:{PORT}" for address in networks.addresses)
        for agent in self.agents:
            at = agent.words.index("--controller") + 1
            agent.words[at] = everywhere
            at = agent.words.index("--join-token-file") + 1
            agent.words[at] = f"{self.state}/join-token"
            agent.words = [*_DIES_WITH_US, *agent.words, "--authority", f"{self.directory}/authority.pem"]

    def _put_into_network(self, k, one, wall_clock, disk):
        old, run = self.places[one]
        state = self.networks.disk(f"c{k + 1}", disk)
        self.places[one] = (state, run)
        words = [state if word == old else word for word in one.words]
        one.words = [*_DIES_WITH_US, *self.networks.inside(k), *_by_clock(wall_clock, self._clocks[k]), *words, "--store-ca", self._identity[0],
                     "--listen", f"{self.networks.addresses[k]}:{PORT}", "--reads", f"{self.networks.addresses[k]}:{READS_PORT}"]

    # Starting.

    def start_controller(self):
        self.etcd.start()
        first = self.controller
        first.start()
        eventually(lambda: self._alive(first) and "controller runs" in first.text_of_run(),
                   lambda: f"the first controller runs\n{first.text()}")
        subprocess.run(["openssl", "x509", "-in", f"{self.state}/authority.pem", "-out", f"{self.directory}/authority.pem"], check=True)
        for one in self.controllers:
            if one is not first:
                self._share_files(self.places[one][0])
                one.start()
                self.await_standby(one)

    def _share_files(self, state):
        """What each controller has of its own, and all must have alike."""
        for name in ("authority.pem", "join-token"):
            shutil.copy2(f"{self.state}/{name}", state)
        if os.path.isdir(f"{self.state}/secrets"):
            shutil.copytree(f"{self.state}/secrets", f"{state}/secrets", dirs_exist_ok=True)

    def await_gpus(self):
        self.await_well()
        self._agents_at_start = [agent.pid for agent in self.agents]

    # What it does now.

    def http(self, one):
        return os.path.join(self.places[one][1], "http.sock")

    def reads(self):
        """(host, port) of each controller's door for reads."""
        return [(address, READS_PORT) for address in self.networks.addresses]

    def ask(self, one, path, timeout=3):
        """The answer of this controller; None: it has none."""
        line = UnixConnection(self.http(one), timeout)
        try:
            line.request("GET", path)
            answer = line.getresponse()
            text = answer.read()
            return json.loads(text) if answer.status == 200 else None
        except (OSError, ValueError, EOFError, ConnectionError):
            return None
        except Exception as error:  # http.client's own
            if error.__class__.__module__ != "http.client":
                raise
            return None
        finally:
            line.close()

    def find_leader(self, timeout=3):
        for one in self.controllers:
            if one.runs() and "controller runs" in one.text_of_run() and self.ask(one, "/api/v1/self", timeout):
                return one
        return None

    @property
    def take_overs(self):
        return sum(one.text().count("this controller leads") for one in self.controllers) - 1

    def collect_ends(self):
        """Controllers that have ended by themselves; they are started again."""
        for one in self.controllers:
            if not one.runs():
                code = one.stop()
                if code is not None:
                    self.own_ends.append((one.name, code))
                one.start()

    def await_well(self):
        """One controller leads and answers, the others stand by, and all nodes are up."""
        begun = time.monotonic()
        while True:
            trouble = self._trouble()
            if not trouble:
                return time.monotonic() - begun
            if time.monotonic() - begun > MOST_UNTIL_WELL_S:
                raise Unhealthy(f"not well after {MOST_UNTIL_WELL_S} s: {trouble}\n{self.logs()}")
            time.sleep(0.1)

    def _trouble(self):
        self.collect_ends()
        leader = self.find_leader()
        if not leader:
            return "no controller answers"
        for one in self.controllers:
            told = one.text_of_run()
            if one is not leader and ("standby: this controller" not in told or "controller runs" in told):
                return f"{one.name} is no standby"
        cluster = self.ask(leader, "/api/v1/cluster")
        if cluster is None:
            return f"{leader.name} does not say which nodes it has"
        up = [node for node in cluster["nodes"] if node["state"] == "UP"]
        if len(up) < len(self.agents):
            return f"{len(up)} nodes are up: {[(n['name'], n['state']) for n in cluster['nodes']]}"
        self.controller = leader
        self.state, self.run_directory = self.places[leader]
        return ""

    def agents_undisturbed(self):
        return [agent.pid for agent in self.agents if agent.runs()] == self._agents_at_start

    def index(self, one):
        return self.controllers.index(one)

    # The members of etcd.

    def leader_of_etcd(self):
        """Its place among the members; None: nobody says."""
        leader, ids = None, {}
        trusted = ssl.create_default_context(cafile=self._identity[0])
        for k, url in enumerate(self.etcd.urls):
            try:
                request = urllib.request.Request(f"{url}/v3/maintenance/status", b"{}")
                with urllib.request.urlopen(request, timeout=2, context=trusted) as answer:
                    status = json.load(answer)
            except (OSError, ValueError):
                continue
            ids[status["header"]["member_id"]] = k
            leader = status.get("leader", leader)
        return ids.get(leader)

    # Clocks and disks.

    def _clock(self, k):
        path = os.path.join(self.directory, f"clock-{k + 1}")
        _write_clock(path, 0)
        return path

    def set_clock(self, k, seconds):
        _write_clock(self._clocks[k], seconds)

    def fill_disk(self, one):
        with open(f"{self.places[one][0]}/filler", "wb", buffering=0) as file:
            block = bytes(1 << 20)
            while block:
                try:
                    file.write(block)
                except OSError:
                    block = block[:len(block) // 2]

    def empty_disk(self, one):
        path = f"{self.places[one][0]}/filler"
        if os.path.exists(path):
            os.remove(path)

    # The end.

    def stop_all(self):
        """Exit codes: the agents, the standbys, the leader."""
        standbys = [one for one in self.controllers if one is not self.controller]
        return [daemon.stop() for daemon in [*self.agents, *standbys, self.controller]]

    def differences(self):
        """What `replay --verify` finds in the journal of each controller; all must be stopped."""
        found = []
        for one in self.controllers:
            answer = self.cli("replay", "--verify", f"{self.places[one][0]}/journal.db", "-o", "json")
            report = json.loads(answer.out) if answer.code in (0, 9) else {"differences": [str(answer)]}
            found += [f"{one.name}: {difference}" for difference in report["differences"]]
        return found

    def keep_logs(self, directory):
        for daemon in [*self.controllers, *self.agents]:
            if os.path.exists(daemon.log_path):
                shutil.copy(daemon.log_path, directory)
        for k in range(len(self.etcd.client_ports)):
            shutil.copy(f"{self.etcd.directory}/m{k}.log", f"{directory}/etcd-{k}.log")

    def keep_stacks(self, directory):
        """Of the controllers that run, where there is a gdb: one may hang."""
        for one in self.controllers:
            if one.runs() and shutil.which("gdb"):
                with open(f"{directory}/{one.name}.stacks", "w", encoding="utf-8") as file:
                    subprocess.run(["gdb", "-p", str(one.pid), "-batch", "-ex", "thread apply all bt"], stdout=file,
                                   stderr=subprocess.STDOUT, check=False, timeout=120)

    def keep_journals(self, directory):
        for one in self.controllers:
            shutil.copytree(self.places[one][0], f"{directory}/{one.name}-state", dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("*key*", "*token*", "secrets", "filler"))

    def close(self):
        try:
            super().close()
        finally:
            self.networks.close()
