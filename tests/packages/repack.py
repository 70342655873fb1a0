"""Packages that tests need: ours with a higher version."""

import glob
import os
import subprocess
import tempfile


def build(tree, target):
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", "-Znone", tree, target], check=True, stdout=subprocess.DEVNULL)


def newer(packages, name, target):
    """The package of this name in a directory, with "+1" after its version."""
    (package,) = glob.glob(f"{packages}/{name}_*.deb")
    with tempfile.TemporaryDirectory(prefix="gp-newer-", dir="/var/tmp") as tree:
        subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
        control = os.path.join(tree, "DEBIAN/control")
        with open(control, encoding="utf-8") as file:
            text = file.read()
        with open(control, "w", encoding="utf-8") as file:
            file.writelines(line.rstrip("\n") + "+1\n" if line.startswith("Version:") else line for line in text.splitlines(keepends=True))
        os.chmod(tree, 0o755)  # it is the package's root directory
        build(tree, target)
