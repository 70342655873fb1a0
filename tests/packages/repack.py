"""Packages that tests need: ours with a higher version, and those of a driver that is not there."""

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


def stand_in(name, version, target, depends=(), files=None):
    """A package with these files, and nothing else."""
    with tempfile.TemporaryDirectory(prefix="gp-stand-in-", dir="/var/tmp") as tree:
        needs = "Depends: " + ", ".join(f"{other} (= {version})" for other in depends) + "\n" if depends else ""
        control = (f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: Test <test@example.org>\n{needs}"
                   f"Description: stand-in for {name}\n")
        for path, text in {"DEBIAN/control": control, **(files or {})}.items():
            os.makedirs(os.path.dirname(f"{tree}/{path}"), exist_ok=True)
            with open(f"{tree}/{path}", "w", encoding="utf-8") as file:
                file.write(text)
        os.chmod(tree, 0o755)
        build(tree, target)


def index(directory):
    """Makes a directory of packages a repository: deb [trusted=yes] file:DIRECTORY ./"""
    listed = subprocess.run(["dpkg-scanpackages", "--multiversion", "."], cwd=directory, check=True, capture_output=True, text=True).stdout
    with open(os.path.join(directory, "Packages"), "w", encoding="utf-8") as file:
        file.write(listed)
