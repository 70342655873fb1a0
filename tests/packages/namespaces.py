"""Roots in namespaces: what a machine with systemd and a container without it have in common."""

import time

# Shell lines; {root} is a directory, and becomes a mount.
MOUNTS = """
mount --make-rprivate /
mount --bind {root} {root}
mount -t proc proc {root}/proc
mount -t sysfs -o ro sysfs {root}/sys
mount -t tmpfs -o mode=755 tmpfs {root}/dev
for node in null zero full random urandom tty; do
  touch {root}/dev/$node; mount --bind /dev/$node {root}/dev/$node
done
mkdir {root}/dev/pts {root}/dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts {root}/dev/pts
ln -s pts/ptmx {root}/dev/ptmx
mount -t tmpfs tmpfs {root}/dev/shm
"""
NAMESPACES = ("-m", "-p", "-u", "-i", "-n", "-C")


def until(is_so, seconds, what):
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.1)


def first_process(starter):
    """The PID, here, of process 1 of what `unshare --fork` has started."""
    found = []

    def is_there():
        with open(f"/proc/{starter.pid}/task/{starter.pid}/children", encoding="utf-8") as file:
            found[:] = [int(pid) for pid in file.read().split()]
        return bool(found)

    until(is_there, 10, "its first process")
    return found[0]


def inside(pid, directory, environment):
    """The words before a command that runs it beside the process, with this environment alone."""
    root = f"/proc/{pid}/root"
    return ["nsenter", "-t", str(pid), *NAMESPACES, f"--root={root}", f"--wd={root}{directory}",
            "/usr/bin/env", "-i", *environment]
