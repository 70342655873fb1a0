"""Functions as jobs:

    @gpu_platform.remote(gpus=1)
    def train(rate):
        ...

    call = train.submit(0.1)   # a job; train(0.1) still runs locally
    call.result()              # returns or raises what the function did

Function, arguments and result are exchanged in a directory that the nodes share, by default below the working directory.
The job imports the file that defines the function; code below `if __name__ == "__main__":` does not run there.
Both sides must be able to import the types of arguments and results: classes of the main program do not work.
"""

from __future__ import annotations

import functools
import inspect
import os
import pickle
import sys
import uuid
from typing import Any, Callable, Generic, Optional, TypeVar

from .client import Client, Job
from .errors import InvalidArgument, PlatformError

_T = TypeVar("_T")
CALL = "call.pickle"
RESULT = "result.pickle"


class RemoteError(PlatformError):
    """The job ended without a result; see `job`."""

    def __init__(self, job: Job) -> None:
        super().__init__(f"{job.id} ended without a result: {job.state.value}, {job.reason}", "internal")
        self.job = job


class Call(Generic[_T]):
    """A submitted call."""

    def __init__(self, job: Job, directory: str) -> None:
        self.job = job
        self.directory = directory

    def result(self, timeout: Optional[float] = None) -> _T:
        """Waits for the result.  Raises what the function raised, RemoteError if the job ended otherwise, or TimeoutError."""
        self.job.wait(timeout)
        try:
            with open(os.path.join(self.directory, RESULT), "rb") as file:
                has_returned, value = pickle.load(file)
        except FileNotFoundError:
            raise RemoteError(self.job) from None
        if not has_returned:
            raise value
        result: _T = value
        return result


class RemoteFunction(Generic[_T]):
    def __init__(self, function: Callable[..., _T], client: Optional[Client], directory: Optional[str], asks: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._client = client
        self._directory = directory
        self._asks = asks

    def __call__(self, *args: Any, **named: Any) -> _T:
        return self._function(*args, **named)

    def submit(self, *args: Any, **named: Any) -> Call[_T]:
        if os.geteuid() == 0:
            raise InvalidArgument("remote: root's jobs run as another user, who cannot read the call; use a normal user", "invalid-argument")
        source = inspect.getsourcefile(self._function)
        if source is None or "<" in self._function.__qualname__:
            raise InvalidArgument(f"{self._function.__qualname__}: only functions at the top level of a file can be jobs", "invalid-argument")
        directory = os.path.join(os.path.abspath(self._directory or "gpu-platform-calls"), uuid.uuid4().hex)
        os.makedirs(directory, mode=0o700)
        with open(os.path.join(directory, CALL), "wb") as file:
            pickle.dump((os.path.abspath(source), self._function.__qualname__, args, named), file)
        asks = dict(self._asks)
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        paths = [package, os.path.dirname(os.path.abspath(source)), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        asks["environment"] = {"PYTHONPATH": os.pathsep.join(paths), **(asks.get("environment") or {})}
        asks.setdefault("name", self._function.__name__.strip("_").replace("_", "-") or "call")
        client = self._client or Client()
        return Call(client.submit([sys.executable, "-m", "gpu_platform.run_call", directory], **asks), directory)


def remote(*, client: Optional[Client] = None, directory: Optional[str] = None, **asks: Any) -> Callable[[Callable[..., _T]], RemoteFunction[_T]]:
    """Decorates a function so that it can run as a job; `asks` as in job_spec.  `directory`: stores calls and results."""
    return lambda function: RemoteFunction(function, client, directory, asks)
