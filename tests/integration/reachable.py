"""The program where every user can start it: tests run it as others, and a checkout may lie in a
home that is closed to them."""
import atexit
import os
import pathlib
import shutil
import stat
import tempfile


def _is_open(path):
    return all(os.stat(part).st_mode & stat.S_IXOTH for part in [path, *path.parents])


def reachable(binary):
    """The binary itself, or a copy of it with all that it keeps beside it; gone at the end."""
    binary = pathlib.Path(binary).resolve()
    if os.geteuid() != 0 or _is_open(binary):
        return str(binary)
    place = pathlib.Path(tempfile.mkdtemp(prefix="gp-program-", dir="/var/tmp"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    place.chmod(0o755)
    (place / "bin").mkdir()
    shutil.copy2(binary, place / "bin")
    experiments = binary.with_name("gpu-platform-experiments")  # documents run it too
    if experiments.exists():
        shutil.copy2(experiments, place / "bin")
    for part in ("lib/gpu-platform", "share/gpu-platform"):
        shutil.copytree(binary.parents[1] / part, place / part)
    return str(place / "bin" / binary.name)
