"""Containers without a container runtime: an image is read, unpacked and run in namespaces."""

import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import tarfile
import tempfile

from namespaces import MOUNTS, NAMESPACES, first_process, inside, until

# What is written to the root is in memory, and lost at the end; the image stays as it is.
LAYERS = """
hostname container
ip link set lo up
mount -t tmpfs tmpfs {scratch}
mkdir {scratch}/upper {scratch}/work {root}
layers=lowerdir={image},upperdir={scratch}/upper,workdir={scratch}/work
mount -t overlay -o $layers overlay {root}
"""
# As Docker has them unless it is given others.
CAPABILITIES = ("chown", "dac_override", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap",
                "net_bind_service", "net_raw", "sys_chroot", "mknod", "audit_write", "setfcap")


class Image:
    """The files of an archive, by name.  Only `blob` checks anything."""

    def __init__(self, path):
        with tarfile.open(path) as archive:
            files = [one for one in archive if one.isreg()]
            self.files = {one.name: archive.extractfile(one).read() for one in files}
        self.index = json.loads(self.files["index.json"])
        self.manifest = json.loads(self.blob(self.index["manifests"][0]))
        self.config = json.loads(self.blob(self.manifest["config"]))

    def blob(self, described):
        """What a descriptor names; it has the size and the digest that the descriptor says."""
        data = self.files["blobs/" + described["digest"].replace(":", "/")]
        assert len(data) == described["size"], described
        assert "sha256:" + hashlib.sha256(data).hexdigest() == described["digest"], described
        return data

    def layer(self, described):
        return tarfile.open(fileobj=io.BytesIO(self.blob(described)), mode="r:gz")

    def unpack(self, directory):
        """One layer over the other, with its owners."""
        for described in self.manifest["layers"]:
            subprocess.run(["tar", "-C", directory, "--numeric-owner", "-xzpf", "-"],
                           input=self.blob(described), check=True)


class Container:
    """Process 1 is the image's program, as without `init` in a compose file: the harder case.

    `service` is one of a compose file: its command, user, cap_drop, read_only and volumes count.
    What its volumes name on the host, and the named ones, lie below `host`.
    """

    def __init__(self, config, root, service, host):
        self.directory = tempfile.mkdtemp(prefix="gp-container-", dir="/var/tmp")
        self.config = config
        user = service.get("user") or config["User"]
        uid, gid = user.split(":")
        dropped = service.get("cap_drop") == ["ALL"]
        kept = "" if dropped else "".join(f",+{one}" for one in CAPABILITIES)
        self.rights = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups",
                       f"--bounding-set=-all{kept}", "--inh-caps=-all", "--no-new-privs"]
        self.environment = [*config["Env"], f"HOME={_home_of(uid, root)}"]
        inner = os.path.join(self.directory, "root")
        script = (LAYERS + MOUNTS).format(scratch=self.directory, image=root, root=inner)
        for volume in service.get("volumes", ()):
            script += _mount_of(volume, host, inner, root)
        if service.get("read_only"):
            script += f"mount -o remount,bind,ro {inner}\n"
        script += f"exec chroot {inner} /usr/bin/env -i -C {config['WorkingDir']} \"$@\"\n"
        with open(os.path.join(self.directory, "log"), "wb") as log:
            self.starter = subprocess.Popen(  # pylint: disable=consider-using-with
                ["unshare", *NAMESPACES, "--fork", "--kill-child", "sh", "-ec", script, "sh",
                 *self.environment, *self.rights, *config["Entrypoint"],
                 *(service.get("command") or config["Cmd"])],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def run(self, *words):
        """A command in the container, as `docker exec` runs it."""
        pid = first_process(self.starter)
        until(lambda: not os.path.samefile(f"/proc/{pid}/root", "/"), 10, "it has its root")
        before = inside(pid, self.config["WorkingDir"], self.environment)
        return subprocess.run([*before, *self.rights, *words], capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL)

    def must(self, *words):
        done = self.run(*words)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: {done.returncode}\n"
                                 f"{done.stdout}{done.stderr}\n{self.log()}")
        return done.stdout

    def until(self, seconds, *words):
        until(lambda: self.starter.poll() is not None or self.run(*words).returncode == 0, seconds,
              " ".join(words))
        assert self.starter.poll() is None, self.log()

    def log(self):
        with open(os.path.join(self.directory, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait(self):
        """The exit code of process 1."""
        return self.starter.wait(timeout=60)

    def stop(self):
        """As runtimes do: SIGTERM, and SIGKILL after 10 s.  The exit code, None after SIGKILL."""
        try:
            if self.starter.poll() is None:
                os.kill(first_process(self.starter), signal.SIGTERM)
            return self.starter.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.starter.kill()
            self.starter.wait()
            return None

    def close(self):
        self.stop()
        shutil.rmtree(self.directory)


def _home_of(uid, root):
    with open(os.path.join(root, "etc/passwd"), encoding="utf-8") as file:
        return next(fields[5] for fields in (line.split(":") for line in file) if fields[2] == uid)


def _mount_of(volume, host, inner, root):
    """The lines that mount a volume SOURCE:TARGET:MODE.

    A new named one gets the owner of its place in the image, as from Docker.
    """
    source, target, mode = volume.split(":")
    place = os.path.join(host, source.lstrip("/"))
    if not source.startswith("/") and not os.path.exists(place):
        owner = os.stat(root + target)
        os.makedirs(place)
        os.chown(place, owner.st_uid, owner.st_gid)
    line = f"mount --bind {place} {inner}{target}\n"
    return line + (f"mount -o remount,bind,ro {inner}{target}\n" if mode == "ro" else "")
