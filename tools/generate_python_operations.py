#!/usr/bin/env python3
"""Prints the module of the Python client that has one method for each operation of the API, from the OpenAPI document.

Usage: generate_python_operations.py docs/reference/openapi.json > clients/python/gpu_platform/operations.py
A test compares what it prints with that file.
"""
import json
import keyword
import pathlib
import re
import sys
import textwrap

COLUMNS = 120
HEAD = '''"""One method for each operation of the API, generated from docs/reference/openapi.json.

Arguments that are not given are not sent.  Replies are documents with the fields of docs/reference/rest.md.  Of a change,
`key` names the request: a repeat with the same key changes nothing; default: a new one.  All raise PlatformError.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence
from urllib.parse import quote

from .connection import Connection


class Operations:
    """The operations over one connection; thread-safe."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _ask(self, method: str, path: str, key: Optional[str] = None, **fields: Any) -> dict[str, Any]:
        given = {name.rstrip("_"): value for name, value in fields.items() if value is not None}
        if method in ("GET", "DELETE"):
            return dict(self._connection.ask(method, path, given, key=key))
        return dict(self._connection.ask(method, path, body=given, key=key))
'''
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "Mapping[str, Any]"}


def snake(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


def type_of(schema):
    if "anyOf" in schema:
        return type_of(schema["anyOf"][0])
    if "$ref" in schema:
        return "Mapping[str, Any]"
    if schema.get("type") == "array":
        return f"Sequence[{type_of(schema['items'])}]"
    return TYPES[schema["type"]]


def filled(head, words, tail):
    """`head`, the words separated by commas, and `tail`, on lines that break between words alone."""
    whole = [word.replace(" ", "\0") for word in words]
    text = textwrap.fill(", ".join(whole) + tail.replace(" ", "\0"), COLUMNS, initial_indent=head, subsequent_indent=" " * len(head),
                         break_long_words=False, break_on_hyphens=False)
    return text.replace("\0", " ")


class Method:
    def __init__(self, method, path, operation):
        self.method, self.path, self.operation = method.upper(), path, operation
        parameters = [one for one in operation.get("parameters", []) if one["name"] not in ("fields", "Last-Event-ID")]
        self.in_path = [one for one in parameters if one["in"] == "path"]
        self.has_key = any(one["in"] == "header" for one in parameters)
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        self.fields = {one["name"]: one for one in parameters if one["in"] == "query"} | body.get("properties", {})
        self.fields.pop("request_id", None)  # `key` is the request's id

    def is_one_answer(self):
        return all("application/json" in answer.get("content", {"application/json": {}})
                   for status, answer in self.operation["responses"].items() if status.startswith("2"))

    def signature(self):
        words = ["self"] + [f"{python_name(one['name'])}: str" for one in self.in_path]
        named = [f"{python_name(name)}: Optional[{type_of(field.get('schema', field))}] = None" for name, field in self.fields.items()]
        named += ["key: Optional[str] = None"] if self.has_key else []
        words += (["*"] if named else []) + named
        head = f"    def {snake(self.operation['operationId'])}("
        return filled(head, words, ") -> dict[str, Any]:")

    def docstring(self):
        text = re.sub(r"\s+", " ", self.operation.get("description", self.operation["summary"])).replace("\\", "\\\\")
        told = {python_name(one["name"]): one for one in self.in_path} | {python_name(name): one for name, one in self.fields.items()}
        notes = [f"{name}: {re.sub(chr(10), ' ', one['description'])}" for name, one in told.items() if one.get("description")]
        lines = textwrap.wrap(f'"""{text}', COLUMNS - 8, break_long_words=False)
        if notes:
            lines += [""] + [line for note in notes
                             for line in textwrap.wrap(note, COLUMNS - 8, subsequent_indent="    ", break_long_words=False)]
            return textwrap.indent("\n".join(lines) + '\n"""', " " * 8)
        return textwrap.indent("\n".join(lines) + '"""', " " * 8)

    def call(self):
        path = re.sub(r"\{(\w+)\}", lambda match: f"{{quote({python_name(match.group(1))}, safe='')}}", self.path)
        words = [f'"{self.method}"', ("f" if "{" in path else "") + f'"{path}"']
        words += ["key=key"] if self.has_key else []
        words += [f"{python_name(name)}={python_name(name)}" for name in self.fields]
        return filled("        return self._ask(", words, ")")

    def text(self):
        return f"\n{self.signature()}\n{self.docstring()}\n{self.call()}\n"


def text_of(document):
    methods = [Method(method, path, operation) for path, item in document["paths"].items() for method, operation in item.items()
               if "operationId" in operation and not operation.get("deprecated")]
    methods = {method.operation["operationId"]: method for method in reversed(methods) if method.is_one_answer()}
    return HEAD + "".join(methods[name].text() for name in sorted(methods))


if __name__ == "__main__":
    sys.stdout.write(text_of(json.loads(pathlib.Path(sys.argv[1]).read_text())))
