"""What a process uses, as the kernel counts it."""

import os
import pathlib


def status(pid, field):
    """A number of /proc/PID/status: "Threads", or "VmRSS" in KiB."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field + ":"))


def memory_mib(pid):
    return status(pid, "VmRSS") / 1024


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
