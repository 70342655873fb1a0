"""The packages of a build, by name, not compressed: tests read them and do not ship them."""

import glob
import os
import subprocess

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


def make_packages(build, directory):
    done = subprocess.run([f"{ROOT}/tools/make-packages", build, directory], capture_output=True,
                          text=True, check=False, env=dict(os.environ, COMPRESSION="none"))
    assert done.returncode == 0, done.stdout + done.stderr
    return {os.path.basename(path).split("_")[0]: path for path in glob.glob(f"{directory}/*.deb")}
