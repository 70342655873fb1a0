"""Slurm of Debian: its real daemons on loopback, in a directory of their own."""

import ctypes
import os
import pathlib
import random
import shutil
import signal
import socket
import stat
import subprocess

from .waiting import eventually

PROGRAMS = ("munged", "munge", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "sinfo")

SETTINGS = """
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
MpiDefault=none
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool-%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd-%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd-%n.log
ReturnToService=2
KillWait=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
PrologFlags=Alloc
SwitchType=switch/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=default_queue_depth=1000,sched_interval=1,sched_min_interval=0,bf_interval=30,bf_continue
MaxJobCount=100000
MaxArraySize=20001
MinJobAge=10
GresTypes=gpu
SlurmdParameters=config_overrides
"""


def missing():
    """Those of its programs that are not installed."""
    return [program for program in PROGRAMS if shutil.which(program) is None]


def free_ports(count):
    """Below those that the kernel gives away by itself: nobody takes one between its choice and its use."""
    ports = set()
    while len(ports) < count:
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", random.randrange(10_000, 32_000)))
                ports.add(one.getsockname()[1])
            except OSError:
                continue
    return list(ports)


def _be_localhost():
    """Slurm's daemons listen where their host's name leads: for them alone this one is called otherwise."""
    new_names = 0x04000000  # CLONE_NEWUTS
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(new_names) != 0:
        raise OSError(ctypes.get_errno(), "no name of its own for a daemon")
    socket.sethostname("localhost")


class Slurm:
    """A controller, and a daemon for each of `nodes` nodes with `gpus` GPUs.

    The directory exists and is short, as it has sockets.  `place` is called in each daemon before it begins.
    """

    def __init__(self, directory, nodes=1, gpus=8, place=None):
        self.directory = pathlib.Path(directory)
        self.nodes, self.gpus, self.place = nodes, gpus, place
        self.processes = []
        self.environment = dict(os.environ, SLURM_CONF=str(self.directory / "slurm.conf"))
        self.write_configuration()
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def write_configuration(self):
        controller, *daemons = free_ports(1 + self.nodes)
        lines = SETTINGS.format(port=controller, directory=self.directory).strip().splitlines()
        for node, port in enumerate(daemons):
            lines.append(f"NodeName=n{node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=64 Sockets=2 "
                         f"CoresPerSocket=32 ThreadsPerCore=1 RealMemory=512000 Gres=gpu:h100:{self.gpus} State=UNKNOWN")
        lines.append(f"PartitionName=gpu Nodes=n[0-{self.nodes - 1}] Default=YES MaxTime=INFINITE State=UP")
        (self.directory / "slurm.conf").write_text("\n".join(lines) + "\n")
        self.make_devices()
        (self.directory / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        (self.directory / "state").mkdir()

    def make_devices(self):
        """Slurm wants a device file for each GPU."""
        devices = self.directory / "dev"
        devices.mkdir()
        for minor in range(self.nodes * self.gpus):
            os.mknod(devices / f"n{minor // self.gpus}g{minor % self.gpus}", 0o666 | stat.S_IFCHR, os.makedev(195, minor))
        (self.directory / "gres.conf").write_text("".join(
            f"NodeName=n{n} Name=gpu Type=h100 File={devices}/n{n}g[0-{self.gpus - 1}]\n" for n in range(self.nodes)))

    def spawn(self, *words):
        def begin():
            if self.place:
                self.place()
            _be_localhost()
        self.processes.append(subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL, preexec_fn=begin))

    def start(self):
        key, munge = self.directory / "munge.key", self.directory / "munge"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        munge.mkdir(mode=0o755)
        for path in (key, munge, self.directory):
            shutil.chown(path, "munge")
        self.directory.chmod(0o755)
        munge_socket = f"{self.directory}/munge.socket"
        self.spawn("setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged", "-F", "-S", munge_socket,
                   "--key-file", str(key), "--pid-file", f"{munge}/pid", "--log-file", f"{munge}/log", "--seed-file", f"{munge}/seed")
        eventually(lambda: self.answers("munge", "-n", "-S", munge_socket), lambda: f"munged answers\n{self.logs()}", interval=0.1)
        self.spawn("slurmctld", "-D")
        for node in range(self.nodes):
            self.spawn("slurmd", "-D", "-N", f"n{node}")
        eventually(lambda: len(self.ask("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").split()) == self.nodes,
                   lambda: f"its nodes are idle\n{self.logs()}", timeout=60, interval=0.2)

    def answers(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True).returncode == 0

    def ask(self, *words):
        """What one of its commands prints; empty where nobody answers."""
        return subprocess.run(words, env=self.environment, capture_output=True, text=True).stdout

    def logs(self):
        files = [*self.directory.glob("*.log"), self.directory / "munge/log"]
        return "\n".join(f"--- {file.name}\n{file.read_text(errors='replace')[-4000:]}" for file in files if file.exists())

    def stop(self):
        """Ends the daemons; steps of jobs outlive them."""
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []
