"""A Debian with a root of its own: what a machine in namespaces and a virtual one have in common."""

import os
import subprocess
import tempfile

from namespaces import until

ENVIRONMENT = ("HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "LANG=C.UTF-8")


class Debian:
    """The root, unpacked from an archive.  A subclass starts it, and its `run` runs a command there, as root who has logged in."""

    def __init__(self, name, archive):
        self.name = name
        self.directory = tempfile.mkdtemp(prefix=f"gp-{name}-", dir="/var/tmp")
        self.root = os.path.join(self.directory, "root")
        os.mkdir(self.root)
        subprocess.run(["tar", "-C", self.root, "-xf", archive], check=True)
        self.write("/etc/hostname", name + "\n")
        self.log = open(os.path.join(self.directory, "console"), "wb")  # pylint: disable=consider-using-with

    def path(self, inside):
        return self.root + inside

    def write(self, inside, text):
        os.makedirs(os.path.dirname(self.path(inside)), exist_ok=True)
        with open(self.path(inside), "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, *words, **more):
        raise NotImplementedError

    def until(self, seconds, what, *words):
        """Runs the command until it succeeds."""
        until(lambda: self.run(*words).returncode == 0, seconds, what)

    def until_booted(self, seconds):
        until(lambda: self.run("systemctl", "is-system-running").stdout.strip() in ("running", "degraded"), seconds, "systemd runs")

    def must(self, *words, **more):
        done = self.run(*words, **more)
        if done.returncode != 0:
            raise AssertionError(f"{self.name}: {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def shell(self, line, **more):
        return self.must("sh", "-ec", line, **more)

    def console(self):
        with open(os.path.join(self.directory, "console"), encoding="utf-8", errors="replace") as file:
            return file.read()
