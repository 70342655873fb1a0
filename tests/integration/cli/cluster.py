"""A controller with simulated nodes for a test, on sockets of its own, and the program under test."""
import contextlib
import glob
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

from reachable import reachable

PROGRAM = reachable(os.environ["GPU_PLATFORM"])
SOURCE = pathlib.Path(__file__).resolve().parents[3]


def run(*words, timeout=60, env=None, **options):
    """The program to its end; text of both streams."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}
    return subprocess.run([PROGRAM, *words], env=environment, text=True, capture_output=True,
                          timeout=timeout, **options)


def wait_for(condition, seconds=15):
    """The first true value of the condition."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not so after {seconds} s: {condition}")
        time.sleep(0.02)


def find_cgroups(name):
    """Directories of that name in every hierarchy."""
    return [os.path.join(place, name) for place, names, _ in os.walk("/sys/fs/cgroup") if name in names]


def agent_cgroups_below(directory):
    """Names of agents' control groups that the children of the directory's programs are in."""
    names = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError):
            process = pathlib.Path(path).parent
            parent = process.joinpath("stat").read_text().rpartition(")")[2].split()[1]
            if os.readlink(f"/proc/{parent}/exe").startswith(directory + "/"):
                names += re.findall(r"gpu-platform-\w{13}\b", process.joinpath("cgroup").read_text())
    return names


def processes_below(directory):
    """Command lines of processes that name the directory."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            line = pathlib.Path(path).read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if directory in line:
                found.append(line)
    return found


class Cluster:
    """`serve --simulate`; jobs are killed and all is removed at the end."""

    def __init__(self, machine="dgx-h100:2"):
        self.directory = tempfile.mkdtemp(prefix="gp-cli-")
        os.chmod(self.directory, 0o755)
        self.machine = machine
        self.process = None
        self.start()

    def start(self):
        self.log = open(f"{self.directory}/serve.log", "a")
        words = [PROGRAM, "serve", "--simulate", self.machine, "--state", f"{self.directory}/state",
                 "--run-dir", f"{self.directory}/run"]
        self.process = subprocess.Popen(words, stderr=self.log, stdout=self.log, stdin=subprocess.DEVNULL,
                                        start_new_session=True)
        nodes = int(self.machine.partition(":")[2] or 1)
        wait_for(lambda: self.run("nodes", "list", "-o", "name").stdout.count("\n") == nodes)

    def stop_serve(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        self.log.close()

    def run(self, *words, **options):
        return run("--server", f"{self.directory}/run", *words, **options)

    def submit(self, *words):
        result = self.run("run", "-d", *words)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    def close(self):
        if self.process.poll() is not None:
            self.start()
        ids = self.run("jobs", "list", "-o", "name").stdout.split()
        if ids:
            self.run("jobs", "kill", *ids)
            self.run("jobs", "wait", *ids)
        wait_for(lambda: not glob.glob(f"{self.directory}/state/*/attempts/*"))
        self.stop_serve()
        shutil.rmtree(self.directory)
