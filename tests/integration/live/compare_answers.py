#!/usr/bin/python3
"""What a change of the program changes in its answers: two programs receive the same random requests over HTTP.

Requests are drawn from the older program's OpenAPI document.  Times and secrets are left out, as in parity_test.py.
Prints each kind of difference with examples; exit code 1 if there is one.

Usage: compare_answers.py --binary NEW --older OLD [--requests N] [--seed N]"""

import argparse
import contextlib
import json
import os
import random
import sys

from parity_test import CODES, FIRST, OF_ITS_OWN, TIMES, ByHttp, common
from live_platform.requests import Drawer, Drawn

EXAMPLES = 3
STREAMS = ("WatchJob", "WatchChanges", "ReadLog", "WatchJobMetrics", "VerifyImages")


class Answers(ByHttp):
    """A controller of one program."""

    def give(self, drawn):
        status, document = self.ask(drawn.method, drawn.target, drawn.body)
        if status >= 400:
            return [status, CODES.get(document["code"], document["code"]), TIMES.sub("<time>", document["detail"])]
        return [status, common(document)]


def differences(old, new, place=""):
    """Each place where two documents differ, with both values."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            yield from differences(old.get(key), new.get(key), f"{place}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new)):
            yield from differences(one, other, f"{place}[{number}]" if place == "" else f"{place}[]")
    elif old != new:
        yield place, old, new


def requests(drawer, operations, count):
    for method, target, name, fields in FIRST:
        body = {key: value for key, value in fields.items() if method == "POST" or key != "name"}
        yield name, Drawn(method, target, body=json.dumps(body), fields=fields)
    for _ in range(count):
        path, method, operation, name = operations[drawer.rng.randrange(len(operations))]
        drawn = drawer.valid(path, method, operation)
        if not 0 < (drawn.fields.get("life_ms") or 0) < 3_600_000:  # whether it has ended is up to the moment
            yield name, drawn


class Cleanup(contextlib.ExitStack):
    def addCleanup(self, function):  # as of a test
        self.callback(function)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--older", required=True)
    parser.add_argument("--requests", type=int, default=42_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with Cleanup() as cleanup:
        old, new = (Answers(cleanup, os.path.abspath(binary)) for binary in (options.older, options.binary))
        drawer = Drawer(old.document, random.Random(options.seed))
        offered = {(path, method) for path, methods in new.document["paths"].items() for method in methods}
        operations = [(path, method.upper(), operation, operation["operationId"])
                      for path, methods in old.document["paths"].items() for method, operation in methods.items()
                      if path.startswith("/api/v1/") and (path, method) in offered and operation["operationId"] not in (OF_ITS_OWN, *STREAMS)]
        found, equal, differ = {}, 0, 0
        for name, drawn in requests(drawer, operations, options.requests):
            one, other = old.give(drawn), new.give(drawn)
            if one == other:
                equal += 1
                continue
            differ += 1
            for place, was, now in differences(one, other):
                what = "words" if isinstance(was, str) and isinstance(now, str) else "value"
                found.setdefault((name, place, what), []).append((str(drawn)[:300], was, now))
    print(f"{equal} answers of {len(operations)} operations equal, {differ} differ")
    for (name, place, what), examples in sorted(found.items(), key=lambda pair: -len(pair[1])):
        print(f"\n{name}{place}: {len(examples)} differ in {what}")
        shown = set()
        for drawn, was, now in examples:
            if (str(was), str(now)) not in shown and len(shown) < EXAMPLES:
                shown.add((str(was), str(now)))
                print(f"  - {str(was)[:400]}\n  + {str(now)[:400]}\n    {drawn}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
