"""The tarball of a directory of packages, and what its INSTALL tells readers to run."""

import glob
import re
import tarfile

PYTHON = "cp -r python/"


def tarball(directory):
    found, = glob.glob(f"{directory}/gpu-platform-*-linux-amd64.tar.gz")
    return found


def commands(path):
    """Those of INSTALL, in order: its lines with four spaces before them.  init gets as flags what it would ask for."""
    with tarfile.open(path) as archive:
        text = archive.extractfile(next(member for member in archive if member.name.endswith("/INSTALL"))).read().decode()
    found = re.findall(r"^ {4}(\S.*)$", text, re.M)
    assert "gpu-platform init" in found and any(line.startswith(PYTHON) for line in found), found
    return [f"{line} --yes --simulate dgx-h100:2" if line == "gpu-platform init" else line for line in found]
