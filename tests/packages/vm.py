"""A Debian machine in qemu, with the kernel of its release.  Commands reach it through the guest agent: it has no network."""

import base64
import json
import os
import shutil
import socket
import subprocess
import time

from debian import ENVIRONMENT, Debian
from namespaces import until

PACKAGES = ("linux-image-cloud-amd64", "qemu-guest-agent")  # to be in the archive
DISK = "4G"
QEMU = ("qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-m", "2048")
KERNEL = "root=/dev/vda rw console=ttyS0 systemd.unified_cgroup_hierarchy=1"


def accelerator():
    """KVM where the processor has it; without it a machine is about ten times slower.  Some hosts have the device without the rest."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        has_kvm = {"vmx", "svm"} & set(file.read().split()) and os.access("/dev/kvm", os.R_OK | os.W_OK)
    return ("-accel", "kvm", "-cpu", "host") if has_kvm else ("-accel", "tcg", "-cpu", "max")


class Vm(Debian):
    """What is to be in its root is written before `start`, which makes a disk of it."""

    def __init__(self, name, archive, cores=1, patience=120):
        super().__init__(name, archive)
        self.cores = cores
        self.patience = patience  # seconds: to boot, and for each answer
        self.qemu = None
        self.agent = None
        self.disk = os.path.join(self.directory, "disk")
        self.socket = os.path.join(self.directory, "agent")

    def start(self):
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", self.root, self.disk, DISK], check=True)
        self.qemu = subprocess.Popen(  # pylint: disable=consider-using-with
            [*QEMU, *accelerator(), "-smp", str(self.cores),
             "-kernel", self.path("/vmlinuz"), "-initrd", self.path("/initrd.img"), "-append", KERNEL,
             "-drive", f"file={self.disk},format=raw,if=virtio,cache=unsafe", "-serial", "stdio",
             "-device", "virtio-rng-pci", "-device", "virtio-serial", "-chardev", f"socket,id=agent,path={self.socket},server=on,wait=off",
             "-device", "virtserialport,chardev=agent,name=org.qemu.guest_agent.0"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        until(lambda: os.path.exists(self.socket), self.patience, "qemu runs")
        self.agent = Agent(self.socket, self.patience)
        self.until_booted(self.patience)

    def run(self, *words):  # pylint: disable=arguments-differ
        return self.agent.run(["/usr/bin/env", "-i", "-C", "/root", *ENVIRONMENT, *words])

    def stop(self):
        if self.qemu:
            self.qemu.kill()
            self.qemu.wait()
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class Agent:
    """The guest agent: requests and answers are lines of JSON.  A request that comes before it is up waits for it."""

    def __init__(self, path, patience):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(patience)
        self.connection.connect(path)
        self.answers = self.connection.makefile("rb")

    def call(self, name, **arguments):
        self.connection.sendall(json.dumps({"execute": name, "arguments": arguments}).encode() + b"\n")
        answer = json.loads(self.answers.readline())
        if "error" in answer:
            raise AssertionError(f"{name}: {answer['error']['desc']}")
        return answer["return"]

    def run(self, words):
        pid = self.call("guest-exec", path=words[0], arg=list(words[1:]), **{"capture-output": True})["pid"]
        while not (status := self.call("guest-exec-status", pid=pid))["exited"]:
            time.sleep(0.05)
        out, err = (base64.b64decode(status.get(name, "")).decode() for name in ("out-data", "err-data"))
        return subprocess.CompletedProcess(words, status.get("exitcode", -status.get("signal", 0)), out, err)
