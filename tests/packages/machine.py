"""A Debian machine in namespaces: systemd as PID 1 in a root of its own, with a network of its own.

The root is made once by mmdebstrap and kept as an archive; each machine unpacks it.  Only cgroup v2 is in sight.
"""

import os
import shutil
import signal
import subprocess
import sys

from debian import ENVIRONMENT, Debian
from namespaces import MOUNTS, NAMESPACES, first_process, inside

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../tools"))
from debian_root import kept_archive  # pylint: disable=wrong-import-position

PACKAGES = ("systemd", "systemd-sysv", "dbus", "adduser", "iproute2", "python3-minimal", "procps", "ca-certificates")
SYSTEMD = """
mount -t cgroup2 none {root}/sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs {root}/run
touch {root}/dev/console
exec chroot {root} /usr/bin/env -i container=oci PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=console --show-status=0
"""


def cgroup2():
    """Where this host has cgroup v2."""
    with open("/proc/mounts", encoding="utf-8") as mounts:
        return next(fields[1] for fields in map(str.split, mounts) if fields[2] == "cgroup2")


def base_archive(directory, release="bookworm", more=()):
    """The archive of a fresh root, with more packages."""
    name = "-".join(("root", release, *more)) + ".tar"
    return kept_archive(os.path.join(directory, name), release, (*PACKAGES, *more))


def entering(pid):
    """The words before a command that make it run on the machine with this first process, as root who has logged in."""
    return inside(pid, "/root", ENVIRONMENT)


class Machine(Debian):
    def __init__(self, name, archive, address=None):
        super().__init__(name, archive)
        self.starter = None
        self.pid = None
        self.cgroup = os.path.join(cgroup2(), os.path.basename(self.directory))
        os.mkdir(self.cgroup)  # the root of the machine's own tree
        self.address = address
        self.pid_file = os.path.join(self.directory, "pid")
        self.start()

    def start(self):
        """Boots the machine; again, if it has ended."""
        script = (MOUNTS + SYSTEMD).format(root=self.root)
        self.starter = subprocess.Popen(  # pylint: disable=consider-using-with
            ["sh", "-ec", f"echo $$ > {self.cgroup}/cgroup.procs; exec unshare {' '.join(NAMESPACES)} --fork --kill-child sh -ec \"$0\"",
             f"hostname {self.name}\n{script}"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.pid = first_process(self.starter)
        with open(self.pid_file, "w", encoding="utf-8") as file:
            file.write(str(self.pid))
        self.until_booted(60)
        self.run("ip", "link", "set", "lo", "up")

    def run(self, *words, user=None, stdin=None):
        """A command on the machine, as somebody who has logged in runs it."""
        command = entering(self.pid)
        if user:
            command += ["su", "-s", "/bin/sh", user, "-c", " ".join(words)]
        else:
            command += words
        return subprocess.run(command, capture_output=True, text=True, check=False, stdin=stdin or subprocess.DEVNULL)

    def stop(self):
        if self.pid and os.path.exists(f"/proc/{self.pid}"):
            os.kill(self.pid, signal.SIGKILL)  # with PID 1 all its processes end
        self.starter.wait()
        self.log.close()
        for directory, _, _ in os.walk(self.cgroup, topdown=False):
            os.rmdir(directory)
        shutil.rmtree(self.directory, ignore_errors=True)


def switch(machines, addresses):
    """A switch with a cable to each of the machines; the first one has it inside."""
    first = machines[0]
    first.must("ip", "link", "add", "gp-switch", "type", "bridge")
    first.must("ip", "link", "set", "gp-switch", "up")
    first.must("ip", "address", "add", f"{addresses[0]}/24", "dev", "gp-switch")
    for index, (one, address) in enumerate(zip(machines[1:], addresses[1:], strict=True)):
        port = f"gp-port{index}"
        subprocess.run(["ip", "link", "add", port, "netns", str(first.pid), "type", "veth", "peer", "name", "gp-a", "netns", str(one.pid)], check=True)
        first.must("ip", "link", "set", port, "master", "gp-switch", "up")
        one.must("ip", "address", "add", f"{address}/24", "dev", "gp-a")
        one.must("ip", "link", "set", "gp-a", "up")


def connect(first, second, first_address, second_address):
    """A cable between two machines."""
    subprocess.run(["ip", "link", "add", "gp-a", "netns", str(first.pid), "type", "veth", "peer", "name", "gp-b", "netns", str(second.pid)], check=True)
    for machine, link, address in ((first, "gp-a", first_address), (second, "gp-b", second_address)):
        machine.must("ip", "address", "add", f"{address}/24", "dev", link)
        machine.must("ip", "link", "set", link, "up")
