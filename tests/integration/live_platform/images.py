"""A small image, of programs of this host."""

import os
import re
import shutil
import subprocess

from oci_layout import Layout

PROGRAMS = ("/bin/sh", "/bin/cat", "/bin/ls", "/bin/sleep", "/bin/mkdir", "/usr/bin/id")


def make_image(directory):
    """A root file system of programs of this host, with the libraries that they need."""
    files = set(PROGRAMS)
    for program in PROGRAMS:
        told = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
        files |= set(re.findall(r"(/\S+) \(", told))
    for file in files:
        os.makedirs(os.path.dirname(directory + file), exist_ok=True)
        shutil.copy(file, directory + file)
    with open(f"{directory}/of-the-image", "w", encoding="ascii") as file:
        file.write("yes\n")


def base_layout(directory):
    """A layout below the directory, and the layer of such an image in it."""
    base = os.path.join(directory, "base")
    make_image(base)
    layout = Layout(os.path.join(directory, "layout"))
    return layout, layout.add_layer(base)
