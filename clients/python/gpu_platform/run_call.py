"""Inside a job: runs the call that `remote` wrote down.  python3 -m gpu_platform.run_call DIRECTORY"""

from __future__ import annotations

import functools
import os
import pickle
import runpy
import sys
import traceback
from typing import Any

from .remote import CALL, RESULT, RemoteFunction


def _find(source: str, name: str) -> Any:
    """The function in its file; under a name of its own, so that what is for the main program alone does not run."""
    first, *rest = name.split(".")
    found: Any = functools.reduce(getattr, rest, runpy.run_path(source, run_name="__remote__")[first])
    return found._function if isinstance(found, RemoteFunction) else found


def main() -> int:
    directory = sys.argv[1]
    try:
        with open(os.path.join(directory, CALL), "rb") as file:
            source, name, args, named = pickle.load(file)
        result = (True, _find(source, name)(*args, **named))
    except Exception as error:
        traceback.print_exc()
        result = (False, error)
    part = os.path.join(directory, RESULT + ".part")
    with open(part, "wb") as file:
        file.write(_pickled(result))
    os.rename(part, os.path.join(directory, RESULT))
    return 0 if result[0] else 1


def _pickled(result: tuple[bool, Any]) -> bytes:
    """What cannot be, or could not be read again, is told as an error."""
    try:
        text = pickle.dumps(result)
        pickle.loads(text)
        return text
    except Exception as error:
        return pickle.dumps((False, RuntimeError(f"what it {'returned' if result[0] else 'raised'} cannot be sent: {error}")))


if __name__ == "__main__":
    sys.exit(main())
