"""The clients: how each is started on the fake, and what in its output must agree with the file."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from pathlib import Path

from machine import Machine, differ
from packages import Missing

LIBRARIES = "usr/lib/x86_64-linux-gnu"
TIME_LIMIT_S = 60


@dataclass
class Place:
    root: Path
    library: str
    machine: Machine
    control: str = ""

    def environment(self, *libraries):
        path = ":".join([self.library, *(str(self.root / part) for part in libraries)])
        return {**os.environ, "LD_LIBRARY_PATH": path, "LC_ALL": "C", "TERM": "xterm",
                "GPU_PLATFORM_FAKE_NVML_MACHINE": str(self.machine.path),
                "GPU_PLATFORM_FAKE_NVML_CONTROL": self.control,
                "PYTHONPATH": str(self.root / "usr/lib/python3/dist-packages")}

    def run(self, command, env=None, fails=False):
        program = Path(command[0])
        if program.is_absolute() and not program.exists():
            raise Missing(f"{program} was not unpacked")
        done = subprocess.run(command, env=env or self.environment(), capture_output=True,
                              text=True, timeout=TIME_LIMIT_S, check=False)
        if done.returncode != 0 and not fails:
            raise AssertionError(f"{command} ended with {done.returncode}: {done.stdout[-300:]}"
                                 f"{done.stderr[-300:]}")
        return done.stdout + done.stderr

    def smi(self, *words):
        return self.run([str(self.root / "usr/lib/nvidia/current/nvidia-smi"), *words])


def smi_list(place):
    found = re.findall(r"^GPU \d+: (.+) \(UUID: (GPU-[^)]+)\)", place.smi("-L"), re.M)
    return (differ("uuids", [uuid for _, uuid in found], place.machine.uuids)
            + differ("names", {name for name, _ in found}, {place.machine.model}))


def smi_table(place):
    output = place.smi()
    # The column is too narrow for six digits: "18335...".
    memory = re.findall(r"MiB / *(\d+)(?:MiB|\.\.\.) ", output)
    return (differ("bus ids", re.findall(r"\| ([0-9A-F]{8}:[0-9A-F:.]+) ", output),
                   place.machine.bus_ids)
            + differ("memory", {str(place.machine.memory_mib).startswith(text) for text in memory},
                     {True}))


def smi_query_all(place):
    output = place.smi("-q")
    return (differ("uuids", re.findall(r"GPU UUID +: (\S+)", output), place.machine.uuids)
            + differ("reserved", set(re.findall(r"Reserved +: (\d+) MiB", output)),
                     {str(place.machine.reserved_mib)})
            + differ("sections", output.count("Processes  "), place.machine.count()))


def smi_query_csv(place):
    rows = place.smi("--query-gpu=index,uuid,pci.bus_id,memory.total",
                     "--format=csv,noheader,nounits").strip().splitlines()
    expected = [f"{i}, {uuid}, {bus}, {place.machine.memory_mib}" for i, (uuid, bus) in
                enumerate(zip(place.machine.uuids, place.machine.bus_ids))]
    return differ("rows", rows, expected)


def smi_topology(place):
    lines = [line.split("\t") for line in place.smi("topo", "-m").splitlines()]
    rows = [line for line in lines if re.fullmatch(r"GPU\d+", line[0])]
    problems = differ("rows", len(rows), place.machine.count())
    for index, row in enumerate(rows):
        others = [cell.strip() for i, cell in enumerate(row[1:len(rows) + 1]) if i != index]
        if place.machine.links:
            problems += differ(f"links of GPU{index}", set(others) - {f"NV{place.machine.links}"},
                               set())
        problems += differ(f"NUMA of GPU{index}", row[len(rows) + 2].strip(),
                           str(place.machine.numa[index]))
    return problems


def smi_mig(place):
    """Switches GPU 0 to MIG, fills it and takes it apart, each step a process of its own."""
    if not place.machine.has_mig:
        return differ("mig", "Not Supported" in place.smi("-i", "0", "-mig", "1"), True)
    with tempfile.TemporaryDirectory() as directory:
        place = Place(place.root, place.library, place.machine, f"{directory}/control")
        place.smi("-i", "0", "-mig", "1")
        profiles = re.findall(r"MIG (\dg\.\S+) +(\d+) +(\d+)/(\d+)", place.smi("mig", "-lgip"))
        problems = differ("profile ids", [int(row[1]) for row in profiles],
                          [19, 20, 15, 14, 9, 5, 0])
        place.smi("mig", "-i", "0", "-cgi", "9,14,19", "-C")
        devices = re.findall(r"MIG \S+ +Device +\d+: \(UUID: (MIG-[^)]+)\)", place.smi("-L"))
        problems += differ("MIG devices", len(set(devices)), 3)
        place.smi("mig", "-i", "0", "-dci")
        place.smi("mig", "-i", "0", "-dgi")
        place.smi("-i", "0", "-mig", "0")
        return problems + differ("MIG devices at the end", "MIG-" in place.smi("-L"), False)


PYNVML = """
import json, pynvml as n
n.nvmlInit()
gpus = [n.nvmlDeviceGetHandleByIndex(i) for i in range(n.nvmlDeviceGetCount())]
print(json.dumps([[n.nvmlDeviceGetUUID(g), n.nvmlDeviceGetMemoryInfo(g).total >> 20,
                   n.nvmlDeviceGetPciInfo(g).busId, n.nvmlDeviceGetMinorNumber(g)] for g in gpus]))
"""


def pynvml(place):
    found = json.loads(place.run(["/usr/bin/python3", "-c", PYNVML]))
    expected = [[uuid, place.machine.memory_mib, bus, i] for i, (uuid, bus) in
                enumerate(zip(place.machine.uuids, place.machine.bus_ids))]
    return differ("GPUs", found, expected)


def gpustat(place):
    gpus = json.loads(place.run(["/usr/bin/python3", "-m", "gpustat", "--json"]))["gpus"]
    return (differ("uuids", [gpu["uuid"] for gpu in gpus], place.machine.uuids)
            + differ("memory", {gpu["memory.total"] for gpu in gpus}, {place.machine.memory_mib}))


def lstopo(place):
    env = place.environment()
    env["HWLOC_PLUGINS_PATH"] = str(place.root / LIBRARIES / "hwloc")
    program = str(place.root / "usr/bin/lstopo-no-graphics")
    output = place.run([program, "--whole-io", "--of", "xml"], env)
    return differ("uuids", re.findall(r'name="NVIDIAUUID" value="([^"]+)"', output),
                  place.machine.uuids)


def slurmd(place):
    """AutoDetect=nvml of Slurm's node daemon, on a host as large as the machine file's."""
    plugins = place.root / LIBRARIES / "slurm-wlm"
    daemon = place.root / "usr/sbin/slurmd-wlm"
    if not daemon.exists():
        raise Missing(f"{daemon} was not unpacked")
    host, count = os.uname().nodename.split(".")[0], place.machine.count()
    packages, cores = place.machine.packages, place.machine.cpus // place.machine.packages
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "slurmd").symlink_to(daemon)  # it looks at its own name
        Path(directory, "gres.conf").write_text("AutoDetect=nvml\n")
        Path(directory, "slurm.conf").write_text(
            f"ClusterName=fake\nSlurmctldHost=localhost\nPluginDir={plugins}\n"
            "AuthType=auth/none\nCredType=cred/none\nGresTypes=gpu\n"
            "SelectType=select/cons_tres\nProctrackType=proctrack/linuxproc\n"
            "TaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\n"
            f"SlurmdSpoolDir={directory}\nSlurmdPidFile={directory}/pid\n"
            f"NodeName={host} Gres=gpu:{count} Sockets={packages} CoresPerSocket={cores}\n"
            "PartitionName=p Nodes=ALL\n")
        place.run([str(place.root / "usr/bin/lstopo-no-graphics"), "--of", "xml", "-i",
                   f"pack:{packages} core:{cores} pu:1", f"{directory}/host.xml"])
        env = place.environment(LIBRARIES, f"{LIBRARIES}/slurm-wlm")
        env["HWLOC_XMLFILE"] = f"{directory}/host.xml"
        output = place.run([f"{directory}/slurmd", "-D", "-f", f"{directory}/slurm.conf", "-G"],
                           env, fails=True)
    counted = re.findall(r"(\d+) GPU system device\(s\) detected", output)
    return (differ("count", counted, [str(count)])
            + differ("device files", re.findall(r"File=(/dev/nvidia\d+)", output),
                     [f"/dev/nvidia{i}" for i in range(count)]))


def nvtop(place):
    """A full-screen program: it is read from a terminal of our own until every GPU was drawn."""
    program = str(place.root / "usr/bin/nvtop")
    if not Path(program).exists():
        raise Missing(f"{program} was not unpacked")
    child, screen = pty.fork()
    if child == 0:
        os.execvpe(program, [program], place.environment())
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 250, 0, 0))
    output, seen, until = "", set(), time.monotonic() + TIME_LIMIT_S
    expected = set(range(place.machine.count()))
    while seen != expected and time.monotonic() < until:
        if not select.select([screen], [], [], 1)[0]:
            continue
        try:
            output += os.read(screen, 65536).decode(errors="replace")
        except OSError:  # the program ended
            break
        plain = re.sub(r"\x1b[^a-zA-Z]*[a-zA-Z]", " ", output)
        seen = {int(index) for index in re.findall(r"Device *(\d+)", plain)}
    os.write(screen, b"q")
    os.close(screen)
    os.kill(child, signal.SIGKILL)  # where hang-ups are ignored it would draw for ever
    os.waitpid(child, 0)
    return differ("devices drawn", sorted(seen), sorted(expected))


ALL = {
    "nvidia-smi -L": smi_list,
    "nvidia-smi": smi_table,
    "nvidia-smi -q": smi_query_all,
    "nvidia-smi --query-gpu": smi_query_csv,
    "nvidia-smi topo -m": smi_topology,
    "nvidia-smi mig": smi_mig,
    "pynvml": pynvml,
    "gpustat": gpustat,
    "nvtop": nvtop,
    "hwloc NVML plugin (lstopo)": lstopo,
    "slurmd AutoDetect=nvml": slurmd,
}

if __name__ == "__main__":
    sys.exit("start run.py")
