#!/usr/bin/env python3
"""Checks what every header and every call owes its reader: a class in a header has its contract above it, no result is
thrown away by a cast, and no two types have one name: the linker would take the functions of one for those of the other,
without a word.  Prints each place that breaks a rule.

Usage: check_contracts.py [ROOT].  Exit code 1 where a rule is broken.
It does not judge whether the contract is a good one.
"""
import pathlib
import re
import sys

CLASS = re.compile(r"^class (\w+)(?: final)?(?: :.*)?\s*\{?$")
TEMPLATE = re.compile(r"^(?:template\b|requires\b|    requires\b)")
PLACES = ("src", "experiments")
CAST_CALL = re.compile(r"\(void\)\s*!?[A-Za-z_:*&(][^;]*\(")


def classes_without_contract(lines):
    """A class whose comment stands above it; or above the header, where it is the first and only one there."""
    classes = [i for i, line in enumerate(lines) if CLASS.match(line)]
    has_opening = any(line.startswith("//") for line in lines[1:4])
    for i in classes:
        above = i - 1
        while above >= 0 and TEMPLATE.match(lines[above]):
            above -= 1
        header_says_it = has_opening and len(classes) == 1
        if not lines[above].startswith("//") and not header_says_it:
            yield i + 1, f"class {CLASS.match(lines[i]).group(1)} has no contract above it"


def results_thrown_away(lines):
    for number, line in enumerate(lines, 1):
        code = line.split("//")[0]
        if CAST_CALL.search(code):
            yield number, "a result is thrown away by a cast: handle it, or IgnoreResult(result, \"why\")"


NAMESPACE = re.compile(r"^namespace ([\w:]+) \{")
TYPE = re.compile(r"^(?:class|struct|union|enum(?: class)?) (?:alignas\([^)]*\) )?(\w+)(?: final)?\s*(?::(?!:)[^;{]*)?\{")
HEAD_LINES_MAX = 6  # of a type's head with its bases


def types_of(lines):
    """(line, name with its namespace) of each type that other files can see."""
    namespace, is_hidden = "", False
    for number, line in enumerate(lines, 1):
        if found := NAMESPACE.match(line):
            namespace = found.group(1)
        is_hidden = line == "namespace {" or (is_hidden and line != "}  // namespace")
        if is_hidden or not re.match(r"class|struct|union|enum", line):
            continue
        head = " ".join(lines[number - 1:number - 1 + HEAD_LINES_MAX])
        if found := TYPE.match(head):
            yield number, f"{namespace}::{found.group(1)}"


def doubled_names(types):
    """`types`: (place, line, name)."""
    first = {}
    for place, line, name in types:
        other = first.setdefault(name, (place, line))
        if other[0] != place:
            yield place, line, f"{name} is also the name of a type in {other[0]}:{other[1]}: rename one"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    files = sorted(path for place in PLACES for path in (root / place).rglob("*") if path.suffix in (".cc", ".h"))
    found = 0
    types = []
    for path in files:
        lines = path.read_text().splitlines()
        types += [(path.relative_to(root), line, name) for line, name in types_of(lines)]
        problems = list(results_thrown_away(lines))
        if path.suffix == ".h":
            problems += classes_without_contract(lines)
        for line, problem in sorted(problems):
            found += 1
            print(f"{path.relative_to(root)}:{line}: {problem}")
    for place, line, problem in doubled_names(types):
        found += 1
        print(f"{place}:{line}: {problem}")
    print(f"{len(files)} files, {found} places against the rules")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
