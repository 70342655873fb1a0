"""Functions as jobs:

    @gpu_platform.remote(gpus=1)
    def train(rate):
        ...

    call = train.submit(0.1)   # a job; train(0.1) runs it here, as ever
    call.result()              # what it returned, or what it raised

Function, arguments and result go through a directory that the node sees too: by default below the working directory.
The job imports the file that defines the function; what stands below `if __name__ == "__main__":` does not run there.
Arguments and results are of types that both sides can import: none of the main program's own classes.
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
    """The job ended without a result; `job` says how."""

    def __init__(self, job: Job) -> None:
        super().__init__(f"{job.id} ended without a result: {job.state.value}, {job.reason}", "internal")
        self.job = job


class Call(Generic[_T]):
    """One call that was submitted."""

    def __init__(self, job: Job, directory: str) -> None:
        self.job = job
        self.directory = directory

    def result(self, timeout: Optional[float] = None) -> _T:
        """Waits.  Raises what the function raised; RemoteError: the job ended otherwise; TimeoutError."""
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
            raise InvalidArgument("remote: jobs of root run as another user, who may not read its calls; call as a user", "invalid-argument")
        source = inspect.getsourcefile(self._function)
        if source is None or "<" in self._function.__qualname__:
            raise InvalidArgument(f"{self._function.__qualname__}: only functions that a file defines at its top can be jobs", "invalid-argument")
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
    """Makes a function one that can be a job; `asks` as in job_spec.  `directory`: where calls and results are kept."""
    return lambda function: RemoteFunction(function, client, directory, asks)
