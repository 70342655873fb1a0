"""A Slurm of many nodes on this machine: real daemons on loopback, in a scratch directory."""

import concurrent.futures
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import time

from compare import run
from live_platform.slurm import free_ports

GPUS = 8  # of each node


def configuration(directory, nodes, controller, daemons):
    host = socket.gethostname().split(".")[0]
    lines = f"""
ClusterName=sdiag
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CredType=cred/munge
MpiDefault=none
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool-%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd-%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd-%n.log
SlurmctldDebug=error
SlurmdDebug=error
ReturnToService=2
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PriorityType=priority/basic
SchedulerParameters=default_queue_depth=20000,partition_job_depth=0,sched_interval=10,max_sched_time=60,bf_interval=15,bf_max_time=120,bf_max_job_test=20000,bf_continue
MaxJobCount=100000
MaxArraySize=100001
MessageTimeout=100
SlurmctldTimeout=300
SlurmdTimeout=3600
GresTypes=gpu
SlurmdParameters=config_overrides
""".strip().splitlines()
    for node, port in enumerate(daemons):
        lines.append(f"NodeName=m{node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=64 Sockets=2 "
                     f"CoresPerSocket=32 ThreadsPerCore=1 RealMemory=512000 Gres=gpu:{GPUS} State=UNKNOWN")
    lines.append(f"PartitionName=gpu Nodes=m[0-{nodes - 1}] Default=YES MaxTime=INFINITE State=UP")
    return "\n".join(lines) + "\n"


class Slurm:
    """A controller and many daemons, each a child of this process."""

    def __init__(self, directory, nodes):
        self.directory, self.nodes, self.processes = pathlib.Path(directory), nodes, []
        self.environment = dict(os.environ, SLURM_CONF=f"{directory}/slurm.conf")
        controller, *daemons = free_ports(1 + nodes)
        (self.directory / "slurm.conf").write_text(configuration(directory, nodes, controller, daemons))
        (self.directory / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        (self.directory / "state").mkdir()
        # Slurm wants a device file for each GPU; nodes on one kernel may share theirs.
        (self.directory / "dev").mkdir()
        for gpu in range(GPUS):
            os.mknod(self.directory / f"dev/gpu{gpu}", 0o666 | stat.S_IFCHR, os.makedev(195, 64 + gpu))
        (self.directory / "gres.conf").write_text(f"Name=gpu File={directory}/dev/gpu[0-{GPUS - 1}]\n")

    def spawn(self, *words):
        self.processes.append(subprocess.Popen(words, env=self.environment, stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL))

    def start(self):
        key, munge = self.directory / "munge.key", self.directory / "munge"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        munge.mkdir(mode=0o755)
        for path in (key, munge, self.directory):
            shutil.chown(path, "munge")
        self.directory.chmod(0o755)
        self.spawn("setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged", "-F", "--num-threads=4",
                   "-S", f"{self.directory}/munge.socket", "--key-file", str(key), "--pid-file", f"{munge}/pid",
                   "--log-file", f"{munge}/log", "--seed-file", f"{munge}/seed")
        time.sleep(1)
        self.spawn("slurmctld", "-D")
        for node in range(self.nodes):
            self.spawn("slurmd", "-D", "-N", f"m{node}")
        self.wait(lambda: len(self.ask("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").split()) == self.nodes, 180,
                  f"nodes did not come up: see {self.directory}/slurmctld.log")

    def ask(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True).stdout

    def wait(self, is_so, seconds, otherwise):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                raise SystemExit("slurm: " + otherwise)
            time.sleep(1)

    def submit(self, nodes, gpus, *words):
        run("sbatch", "-Q", "--parsable", f"-N{nodes}", "--ntasks-per-node=1", f"--gres=gpu:{gpus}", "-o", "/dev/null",
            *words, "--wrap", "exec sleep 100000", env=self.environment)

    def submit_each(self, shapes, count):
        """One record each: an array would be one line of Slurm's queue, however many jobs it stands for."""
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            # Limits differ, as they do among users, so that no two jobs are the same to the scheduler.
            list(pool.map(lambda i: self.submit(*shapes[i % len(shapes)], f"--time={60 + i % 1000}"), range(count)))

    def fill(self):
        self.submit(1, GPUS, f"--array=1-{self.nodes}", "--time=10000")
        self.wait(lambda: len(self.ask("squeue", "-h", "-r", "-t", "R", "-o", "%i").split()) == self.nodes, 180,
                  "the GPUs did not fill")

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        end_orphans()


def adopt_orphans():
    """From now on, whatever descends from this process and loses its parent becomes its child."""
    subreaper = 36  # PR_SET_CHILD_SUBREAPER
    if ctypes.CDLL(None).prctl(subreaper, 1, 0, 0, 0) != 0:
        raise SystemExit("sdiag.py: cannot become the parent of orphans, so steps of jobs would stay behind")


def end_orphans():
    """Steps of jobs outlive Slurm's daemons: ends them, and what they leave, until nobody is left."""
    while True:
        for child in children_of(os.getpid()):
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def children_of(parent):
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            yield int(path.parent.name)
