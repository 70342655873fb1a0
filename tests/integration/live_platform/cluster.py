"""A controller and the agents of simulated nodes, as processes that can be killed one by one."""

import itertools
import json
import os
import re
import shutil
import tempfile
import time

from .cli import Cli
from .daemon import Daemon
from .sandbox import Sandbox
from .waiting import TimedOut, eventually

_numbers = itertools.count(1)
_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"


class Cluster:
    """`nodes` agents of one machine, each a process of its own, and a controller.

    Everything lives in a fresh directory (not below /tmp: jobs have a /tmp of their own) and talks
    over Unix sockets, so any number of clusters may run side by side.
    """

    def __init__(self, binary, machine="dgx-h100", nodes=1, serve_flags=(), agent_flags=(), policy=""):
        self.directory = tempfile.mkdtemp(prefix="gp-test-", dir="/var/tmp")
        os.chmod(self.directory, 0o755)
        self.shared = self._make("shared", 0o777)  # jobs leave their traces here
        self.state = os.path.join(self.directory, "state")
        self.run_directory = os.path.join(self.directory, "run")
        self.sandbox = Sandbox(f"gp-test-{os.getpid()}-{next(_numbers)}")
        if policy:
            serve_flags = (*serve_flags, "--policy", self._write("policy.yaml", policy))
        self.binary = binary
        self.cli = Cli(binary, self.run_directory)
        self.controller = self._daemon(
            "controller", "serve", "--state", self.state, "--run-dir", self.run_directory,
            "--no-agent", *serve_flags)
        self.agents = [
            self._daemon(f"agent-{k}", "agent", "--simulate", machine, "--node-index", str(k),
                         "--controller", f"unix:{self.run_directory}/control.sock",
                         "--join-token-file", f"{self.state}/join-token",
                         "--state", self.agent_state(k), *agent_flags)
            for k in range(nodes)]

    def _write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def agent_state(self, k):
        return os.path.join(self.directory, f"agent-{k}")

    def start(self):
        self.start_controller()
        for agent in self.agents:
            agent.start()
        self.await_gpus()
        return self

    def start_controller(self):
        """Until it has opened all its doors, which it says after the last: one that answers may open others still."""
        self.controller.start()
        eventually(lambda: self._alive(self.controller) and "controller runs" in self.controller.text_of_run(),
                   lambda: f"the controller runs\n{self.controller.text()}")
        eventually(lambda: self._alive(self.controller) and self.cli("status").code == 0,
                   lambda: f"the controller answers\n{self.controller.text()}")

    def http_port(self):
        """Of the controller that runs; with `--http 127.0.0.1:0` among its flags."""
        return self._port("HTTP")

    def grpc_port(self):
        """Of the controller that runs; with `--listen 127.0.0.1:0` among its flags."""
        return self._port("agents")

    def _port(self, door):
        return int(re.search(rf"{door} at port (\d+)", self.controller.text_of_run()).group(1))

    def await_gpus(self):
        """Until every node whose agent runs is up and its GPUs have passed their test."""
        def heard(node):
            """By this controller, from this run of its agent: one that was restarted, and the agent before, do not count."""
            agent = self.agent_of(node["name"])
            return node["seconds_since_report"] > 0 and (
                not agent.runs() or node["seconds_since_report"] < time.monotonic() - agent.started_at)

        def ready():
            running = [agent for agent in self.agents if self._alive(agent)]
            nodes = [n for n in self.cli.cluster().get("nodes", []) if n["state"] == "UP" and heard(n)]
            return len(nodes) >= len(running) and not any(
                gpu["detail"] in ("UNKNOWN", "TESTING", "LOST") for n in nodes for gpu in n.get("gpus", []))
        eventually(ready, lambda: f"all nodes have joined\n{self.logs()}")

    def node_names(self):
        return [node["name"] for node in self.cli.cluster()["nodes"]]

    def node_state(self, name):
        return next(n["state"] for n in self.cli.cluster()["nodes"] if n["name"] == name)

    def agent_of(self, node):
        """The agent process of a node; simulated nodes end with their index."""
        return self.agents[int(node.rsplit("-", 1)[1])]

    def logs(self):
        return "\n".join(f"--- {d.name}\n{d.text()[-4000:]}" for d in [self.controller, *self.agents]
                         if os.path.exists(d.log_path))

    def settle(self):
        """Ends all jobs that are left, and waits until nothing of them exists any more."""
        left = [job["id"] for job in self.cli.jobs()]
        if left:
            self.cli("-q", "jobs", "kill", *left)
        eventually(lambda: not self.cli.jobs(), lambda: f"all jobs end: {self.cli.jobs()}")
        self.await_empty()

    def await_empty(self):
        """Until no process, cgroup or directory of any attempt exists."""
        eventually(lambda: not self.leftovers(),
                   lambda: f"nothing is left over: {self.leftovers()}\n{self.logs()}")

    def leftovers(self):
        daemons = {d.pid for d in [self.controller, *self.agents] if d.runs()}
        found = [f"process {pid}: {_command(pid)}" for pid in self.sandbox.processes() - daemons
                 if not _is_helper_of(pid, daemons)]
        found += [f"cgroup {lease}" for lease in self.sandbox.leases()]
        if not daemons:
            found += [f"cgroup {root}" for root in self.sandbox.agent_roots()]
        for k in range(len(self.agents)):
            attempts = os.path.join(self.agent_state(k), "attempts")
            found += os.listdir(attempts) if os.path.isdir(attempts) else []
        return found

    def jobs_with_output(self):
        """On all nodes, whose directories name them in base 32."""
        places = [os.path.join(self.agent_state(k), "logs") for k in range(len(self.agents))]
        names = [name for place in places if os.path.isdir(place) for name in os.listdir(place)]
        return {f"job-{_from_base32(name.removeprefix('job-'))}" for name in names if name.startswith("job-")}

    def stop(self):
        """Stops the daemons as an administrator would; jobs run on.  Their exit codes."""
        return [daemon.stop() for daemon in [*self.agents, self.controller]]

    def replay(self):
        """The report of `replay --verify`; only while the controller is down."""
        answer = self.cli("replay", "--verify", f"{self.state}/journal.db", "-o", "json")
        if answer.code not in (0, 9):
            answer.ok()
        return json.loads(answer.out)

    def close(self):
        try:
            self.sandbox.close()
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)

    def _daemon(self, name, *words):
        return Daemon(name, [self.binary, *words], self.directory, self.sandbox)

    def _make(self, name, mode):
        path = os.path.join(self.directory, name)
        os.mkdir(path)
        os.chmod(path, mode)
        return path

    @staticmethod
    def _alive(daemon):
        if not daemon.runs():
            raise TimedOut(f"{daemon.name} has ended\n{daemon.text()}")
        return True


def _is_helper_of(pid, daemons):
    """The agent's own: what supervisors are copies of, and who watches and tests GPUs; they go with their agent."""
    command = _command(pid)
    if not command.startswith("gpu-platform-nursery") and " __watch-gpu " not in command and " __test-gpu " not in command:
        return False
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1]) in daemons
    except OSError:
        return False


def _from_base32(text):
    number = 0
    for digit in text:
        number = number * 32 + _CROCKFORD.index(digit)
    return number


def _command(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read().replace("\0", " ").strip()
    except OSError:
        return "(gone)"
