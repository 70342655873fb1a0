"""A controller and three nodes on this machine, each a process with a state directory and a disk of its own, that can be lost."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

PATIENCE_S = 60.0
MASK = (1 << 64) - 1
LEASE_S = 3  # a node that is not heard for this time is lost
# An agent in a mount namespace of its own, where the disk of its node stands at the path that all nodes have in common.
ON_ITS_DISK = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'


class Failed(Exception):
    """Something did not happen as it must; the text says what."""


def eventually(look, what, patience_s=PATIENCE_S):
    """Looks until there is something, and returns it.  Failed: not within that time."""
    deadline = time.monotonic() + patience_s
    while not (seen := look()):
        if time.monotonic() > deadline:
            raise Failed(f"not within {patience_s:.0f} s: {what}")
        time.sleep(0.05)
    return seen


class Cluster:
    """Everything is below `directory`, which must be short: sockets have their names in it."""

    def __init__(self, binary, directory, nodes):
        self.binary, self.directory, self.nodes = binary, directory, nodes
        self._daemons = {}  # by name
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("GPU_PLATFORM_")}

    # What a user types.

    def cli(self, *words, given=None):
        """What the command prints."""
        environment = {**self._environment, "GPU_PLATFORM_SERVER": f"{self.directory}/run"}
        done = subprocess.run([self.binary, *words], input=given, capture_output=True, text=True, env=environment, timeout=PATIENCE_S)
        if done.returncode != 0:
            raise Failed(f"gpu-platform {' '.join(words)}: exit code {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def json(self, *words):
        return json.loads(self.cli(*words, "-o", "json"))

    # The machines.

    def start(self):
        """Until all nodes are up and their GPUs have passed their tests."""
        state = f"{self.directory}/state"
        self._spawn("controller", "serve", "--config", "none", "--no-agent", "--state", state, "--run-dir", f"{self.directory}/run",
                    "--lease-time", f"{LEASE_S}s")
        eventually(lambda: self._runs("controller") and os.path.exists(f"{state}/join-token") and os.path.exists(f"{self.directory}/run/control.sock"),
                   "the controller starts")
        os.mkdir(self.disk)
        for node in range(self.nodes):
            for part in ("checkpoints", "out"):
                os.makedirs(f"{self.disk_of(node)}/{part}")
                os.chmod(f"{self.disk_of(node)}/{part}", 0o777)  # jobs run as another user
            self._spawn(f"node-{node}", "agent", "--config", "none", "--simulate", "dgx-h100", "--node-index", str(node),
                        "--controller", f"unix:{self.directory}/run/control.sock", "--join-token-file", f"{state}/join-token",
                        "--state", self.state_of(node), "--data-address", "127.0.0.0/8", disk=self.disk_of(node))
        return eventually(self._ready_nodes, "all nodes join")

    @property
    def disk(self):
        """Where each node sees its own disk."""
        return f"{self.directory}/disk"

    def disk_of(self, node):
        return f"{self.directory}/node-{node}/disk"

    def state_of(self, node):
        return f"{self.directory}/node-{node}/state"

    def lose(self, node):
        """The node ends at once, with all that runs on it and its disk; the number of its processes."""
        self._daemons[f"node-{node}"].kill()
        ended = self._kill(self.state_of(node))
        self._daemons[f"node-{node}"].wait()
        shutil.rmtree(f"{self.directory}/node-{node}")
        return ended + 1

    def log(self):
        """The last lines of all daemons."""
        said = []
        for name in self._daemons:
            lines = pathlib.Path(self.directory, f"{name}.log").read_text(errors="replace").splitlines()[-10:]
            said += [f"{name}: {line}" for line in lines]
        return said

    def end(self):
        """Ends all processes, jobs included; returns what could not be ended or removed."""
        for daemon in self._daemons.values():
            daemon.kill()
        try:
            self._kill(self.directory)
        except Failed:
            return [f"process {pid} still runs" for pid in self._processes(self.directory)]
        for daemon in self._daemons.values():
            daemon.wait()
        return self._remove_cgroups()

    def _spawn(self, name, *words, disk=None):
        command = [self.binary, *words]
        if disk:
            command = ["unshare", "--mount", "sh", "-c", ON_ITS_DISK, "sh", disk, self.disk, *command]
        with open(f"{self.directory}/{name}.log", "wb") as log:
            # A session of its own: Ctrl-C at the terminal ends the story, which then ends its processes.
            self._daemons[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                                                   env=self._environment, start_new_session=True)

    def _runs(self, name):
        if self._daemons[name].poll() is not None:
            raise Failed(f"{name} ended with code {self._daemons[name].returncode}")
        return True

    def _ready_nodes(self):
        for name in self._daemons:
            self._runs(name)
        nodes = self.json("status", "--all").get("nodes", [])
        is_ready = len(nodes) == self.nodes and all(
            node["state"] == "UP" and all(gpu["state"] == "AVAILABLE" for gpu in node.get("gpus", [])) for node in nodes)
        return nodes if is_ready else None

    def _kill(self, directory):
        """All processes that have to do with the directory; their number."""
        killed = set()

        def none_is_left():
            found = self._processes(directory)
            for pid in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            killed.update(found)
            return not found

        eventually(none_is_left, f"the processes of {directory} end")
        return len(killed)

    def _processes(self, directory):
        """Those whose program, words or environment name it: daemons, supervisors, jobs.  Ended ones that nobody awaited are left out."""
        found, name = [], directory.encode()
        for place in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                known = [(place / "cmdline").read_bytes(), (place / "environ").read_bytes(), os.fsencode(os.readlink(place / "exe"))]
                if int(place.name) != os.getpid() and any(name in text for text in known):
                    found.append(int(place.name))
        return found

    def _remove_cgroups(self):
        """Those that agents made: nobody removes them after a kill."""
        left, of_agents = [], {cgroup_of(self.state_of(node)) for node in range(self.nodes)}
        for at, names, _ in os.walk("/sys/fs/cgroup"):
            for name in of_agents.intersection(names):
                path = os.path.join(at, name)
                try:
                    eventually(lambda path=path: remove_below(path), f"{path} is free")
                except Failed as failure:
                    left.append(str(failure))
        return left


def cgroup_of(state):
    """The name that an agent with this state directory gives its cgroup: a digest, in base 32."""
    digest = 0xCBF29CE484222325
    for byte in state.encode():
        digest = (digest ^ byte) * 0x100000001B3 & MASK
    for factor, shift in ((0xBF58476D1CE4E5B9, 30), (0x94D049BB133111EB, 27), (1, 31)):
        digest = (digest ^ digest >> shift) * factor & MASK
    return "gpu-platform-" + "".join("0123456789abcdefghjkmnpqrstvwxyz"[digest >> 5 * place & 31] for place in reversed(range(13)))


def remove_below(path):
    """Whether the cgroup and those below it could be removed: they are busy for a moment after their last process."""
    for at, _, _ in os.walk(path, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(at)
    return not os.path.exists(path)
