"""An archive of a fresh Debian root, made once by mmdebstrap and kept."""

import os
import shutil
import subprocess


def kept_archive(archive, release, packages, *options):
    """The archive, made on the first call.

    A kept one is not made again when the packages or options change: its name must differ then.
    """
    if os.path.exists(archive):
        return archive
    if not shutil.which("mmdebstrap"):
        raise SystemExit("mmdebstrap is missing; run tools/setup-debian --with-image")
    os.makedirs(os.path.dirname(archive), exist_ok=True)
    begun = f"{archive}.{os.getpid()}"  # tests at the same time may make it too
    done = subprocess.run(
        ["mmdebstrap", "--variant=minbase", "--include=" + ",".join(packages), "--quiet",
         "--format=tar", *options, release, begun], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"mmdebstrap: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    os.rename(begun, archive)
    return archive
