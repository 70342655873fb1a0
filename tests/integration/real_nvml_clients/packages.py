"""Brings the clients' Debian packages into a cache, without touching the system's configuration."""

import os
import pathlib
import shutil
import subprocess

# Clients, and libraries of theirs that a plain Debian may lack.
NAMES = [
    "nvidia-smi", "python3-pynvml", "gpustat", "nvtop", "libhwloc-contrib-plugins",
    "slurm-wlm-nvml-plugin", "slurmd", "slurm-wlm-basic-plugins", "libmunge2", "hwloc-nox",
    "python3-psutil", "python3-blessed", "python3-wcwidth", "python3-six",
]
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SUITE = "bookworm"


class Missing(Exception):
    """A client cannot be run here, and why."""


def _apt_settings(cache):
    for part in ("state/lists/partial", "cache/archives/partial", "debs"):
        (cache / part).mkdir(parents=True, exist_ok=True)
    sources = cache / "sources.list"
    mirror = os.environ.get("GP_DEBIAN_MIRROR", "http://deb.debian.org/debian")
    sources.write_text(f"deb [signed-by={KEYRING}] {mirror} {SUITE} main contrib non-free\n")
    settings = cache / "apt.conf"
    settings.write_text(
        f'Dir::State "{cache}/state";\nDir::State::status "/var/lib/dpkg/status";\n'
        f'Dir::Cache "{cache}/cache";\nDir::Etc::sourcelist "{sources}";\n'
        'Dir::Etc::sourceparts "-";\nAPT::Sandbox::User "root";\n')
    return {**os.environ, "APT_CONFIG": str(settings)}


def _run(command, env, directory):
    done = subprocess.run(command, env=env, cwd=directory, capture_output=True, text=True,
                          timeout=300, check=False)
    if done.returncode != 0:
        raise Missing(f"{' '.join(command)}: {done.stderr.strip().splitlines()[-1:]}")


def unpack(cache):
    """The root directory into which all packages are unpacked; made once."""
    root = cache / "root"
    if (root / "complete").exists():
        return root
    if shutil.which("apt-get") is None or not pathlib.Path(KEYRING).exists():
        raise Missing("this is not a Debian with its archive keyring")
    cache.mkdir(parents=True, exist_ok=True)
    env = _apt_settings(cache)
    _run(["apt-get", "-q", "update"], env, cache)
    _run(["apt-get", "-q", "download", *NAMES], env, cache / "debs")
    for package in sorted((cache / "debs").glob("*.deb")):
        _run(["dpkg", "-x", str(package), str(root)], env, cache)
    (root / "complete").touch()
    return root
