#!/usr/bin/env python3
"""Writes the table of the API's operations from the methods of gpu_platform.v1.Control and their options
(proto/gpu_platform/v1/operation.proto).

Usage: generate_operations.py PROTO TABLE
The build runs it (src/adapters/wire/CMakeLists.txt).
"""
import pathlib
import re
import sys

METHOD = re.compile(r"^  rpc (\w+)\((stream )?(\w+)\) returns \((stream )?(\w+)\) \{\n(.*?)^  \}", re.M | re.S)
OPTION = re.compile(r"option \(operation\) = \{(.*?)\};")
HEAD = """// The operations of the API, from the options of the methods in control.proto.
//
// GP_UNARY(method, request, reply, least role, where the caller must have it, speed)
// GP_STREAM(method, least role, where the caller must have it)
"""


def rows(text):
    """One row for each method, in the order of the .proto file."""
    declared = re.findall(r"^  rpc (\w+)", text, flags=re.M)
    found = list(METHOD.finditer(text))
    if missing := set(declared) - {match.group(1) for match in found}:
        sys.exit(f"no option (operation): {', '.join(sorted(missing))}")
    for match in found:
        name, request_streams, request, reply_streams, reply, body = match.groups()
        option = OPTION.search(body)
        if option is None:
            sys.exit(f"no option (operation): {name}")
        values = dict(re.findall(r"(\w+): (\w+)", option.group(1)))
        if unknown := set(values) - {"role", "everywhere", "slow", "reads"}:
            sys.exit(f"{name}: unknown in its option (operation): {', '.join(sorted(unknown))}")
        role = f"k{values.get('role', 'NONE').capitalize()}"
        reach = "kEverywhere" if values.get("everywhere") == "true" else "kSomewhere"
        if request_streams or reply_streams:
            yield f"GP_STREAM({name}, {role}, {reach})"
        else:
            speed = "kSlow" if values.get("slow") == "true" else "kFast"
            yield f"GP_UNARY({name}, {request}, {reply}, {role}, {reach}, {speed})"


def text(proto):
    return HEAD + "".join(f"{row}\n" for row in rows(proto))


def main():
    proto, table = map(pathlib.Path, sys.argv[1:])
    table.write_text(text(proto.read_text()))


if __name__ == "__main__":
    main()
