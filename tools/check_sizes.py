#!/usr/bin/env python3
"""Checks that no function, class, source file or folder is too large to be read at once (docs/style.md).  Prints each that is.

Usage: check_sizes.py [ROOT].  Exit code 1 where one is.
A class is measured from its head to its "};" as clang-format-19 indents it; what its methods hold elsewhere is not counted.
Functions within classes are not measured.
"""
import pathlib
import re
import sys

FUNCTION_LINES_MAX = 60
CLASS_LINES_MAX = 200
FILE_LINES_MAX = 550
FOLDER_FILES_MAX = 40  # directly in it, below src
PLACES = ("src", "experiments")

# Folders that still hold more files.  One that no longer does must leave this list.
KNOWN_FOLDERS = ()

# The head of a definition, which may stand on several lines: "class Lane final\n    : public Road {".
CLASS = re.compile(r"""^(?P<indent>[ ]*)(?:template\ <[^;{}]*>[ ])?(?:(?:static|const|constexpr|inline|typedef)\s)*
                       (?P<kind>class|struct)\b(?:\s*(?:alignas\([^)]*\)|\[\[[^\]]*\]\]))*
                       \s*(?P<name>\w*(?:::\w+)*)(?:<[^;{}]*>)?(?:\s+final)?\s*(?::(?!:)[^;{}]*)?\{""", re.MULTILINE | re.VERBOSE)


def classes_in(text):
    """(line of the head, what it is, its number of lines)."""
    for match in CLASS.finditer(text):
        begin = text.count("\n", 0, match.start())
        # The end of a definition on one line stands on it; of others, at the head's indentation.
        rest = text[match.end():]
        one_line = re.match(r"[^\n]*\}[^\n{}]*;", rest)
        end = one_line or re.search(r"^%s\}[^\n]*;" % match["indent"], rest, re.MULTILINE)
        if end:
            lines = text.count("\n", 0, match.end() + end.start()) - begin + 1
            yield begin + 1, f"{match['kind']} {match['name']}".rstrip(), lines


# The head of a function outside of classes: it may stand on several lines, and ends with "{".
FUNCTION = re.compile(r"^(?!(?:class|struct|union|enum|namespace|extern|using)\b)(?![A-Z_]+\()[A-Za-z_](?:[^;{}#\n]|\n(?!\n))*\((?:[^;{}\n]|\n(?!\n))*\{\n", re.MULTILINE)


def functions_in(text):
    """(line of the head, its name, its number of lines)."""
    for match in FUNCTION.finditer(text):
        end = re.compile(r"^\}$", re.MULTILINE).search(text, match.end())
        if end:
            head = match.group().partition("(")[0].split()
            begin = text.count("\n", 0, match.start())
            yield begin + 1, head[-1] if head else "?", text.count("\n", 0, end.start()) - begin + 1


def problems_of_sources(root):
    for path in sorted(path for place in PLACES for path in (root / place).rglob("*") if path.suffix in (".cc", ".h")):
        name, text = path.relative_to(root), path.read_text(encoding="utf-8")
        for line, what, lines in classes_in(text):
            if lines > CLASS_LINES_MAX:
                yield f"{name}:{line}: {what} has {lines} lines, and may have {CLASS_LINES_MAX}: split it by subject"
        for line, what, lines in functions_in(text):
            if lines > FUNCTION_LINES_MAX:
                yield f"{name}:{line}: {what} has {lines} lines, and may have {FUNCTION_LINES_MAX}: name its parts"
        lines = len(text.splitlines())
        if lines > FILE_LINES_MAX:
            yield f"{name}: it has {lines} lines, and may have {FILE_LINES_MAX}: split it by subject"


def problems_of_folders(root):
    counts = {}
    for path in (root / "src").rglob("*"):
        if path.is_file():
            folder = str(path.parent.relative_to(root))
            counts[folder] = counts.get(folder, 0) + 1
    for folder in sorted(counts):
        if counts[folder] > FOLDER_FILES_MAX and folder not in KNOWN_FOLDERS:
            yield f"{folder}: it has {counts[folder]} files, and may have {FOLDER_FILES_MAX}: make folders by subject"
    for folder in KNOWN_FOLDERS:
        if counts.get(folder, 0) <= FOLDER_FILES_MAX:
            yield f"{folder}: it has {counts.get(folder, 0)} files, so it needs no exception in check_sizes.py"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    found = [*problems_of_sources(root), *problems_of_folders(root)]
    for problem in found:
        print(problem)
    print(f"{len(found)} places against the rules")
    return 1 if found or not (root / "src").is_dir() else 0


if __name__ == "__main__":
    sys.exit(main())
