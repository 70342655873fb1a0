"""Runs inside a job: executes the call that `remote` stored.  python3 -m gpu_platform.run_call DIRECTORY"""

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
    """Loads the function from its file, under another module name, so that code for the main program does not run."""
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
    """Pickles the result, or an error if it cannot be pickled and read again."""
    try:
        text = pickle.dumps(result)
        pickle.loads(text)
        return text
    except Exception as error:
        return pickle.dumps((False, RuntimeError(f"the {'result' if result[0] else 'exception'} cannot be pickled: {error}")))


if __name__ == "__main__":
    sys.exit(main())
