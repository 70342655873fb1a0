"""Where the client is, and the pipe of a job, for tests of what a job's program uses."""

import contextlib
import importlib
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
CLIENT = str(ROOT / "clients/python")
sys.path.insert(0, CLIENT)

JOBS = ("GP_", "RANK", "LOCAL_RANK", "WORLD_SIZE")


def plain_environment(**more):
    """Without what a job has; and with these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(JOBS)}
    return {**kept, "PYTHONPATH": CLIENT, "PYTHONDONTWRITEBYTECODE": "1", **more}


def module(test, name):
    """Imported; without it the test is skipped, but not in CI."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        if os.environ.get("CI") == "true":
            raise
        return test.skipTest(f"{name} is not installed")


class JobTest(unittest.TestCase):
    """Each test has a directory, and is outside a job unless it enters one."""

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="gp-trainer-")
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)
        self.directory = self.place / "checkpoints"
        environment = mock.patch.dict(os.environ, plain_environment(), clear=True)
        environment.start()
        self.addCleanup(environment.stop)

    @contextlib.contextmanager
    def job(self, **more):
        """As in a job: yields a function that returns the lines that were reported since its last call."""
        pipe = str(self.place / "report")
        os.mkfifo(pipe)
        end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)

        def lines():
            text = b""
            with contextlib.suppress(BlockingIOError):
                while True:
                    text += os.read(end, 65536)
            return text.decode().splitlines()

        with mock.patch.dict(os.environ, GP_REPORT=pipe, **more):
            try:
                yield lines
            finally:
                os.close(end)
                os.unlink(pipe)

    def names(self):
        return sorted(os.listdir(self.directory))

    def kept_steps(self):
        return [int(name[5:]) for name in self.names() if name.startswith("step-")]

    def best(self):
        return int(os.readlink(self.directory / "best")[5:])
