#!/usr/bin/env python3
"""Finds constructions that readers stumble over, in pages, comments, messages, help and tests; prints each with what to write.

Usage: check_words.py [ROOT].  Exit code 1 where one is found.
It does not judge whether a sentence is good: that takes a reader (docs/style.md).
"""
import pathlib
import re
import sys

# Below these, files with these names.
PLACES = ("src", "experiments", "fakes", "proto", "docs", "web/src", "clients", "deploy", "examples", "tools", "cmake", "data", "tests")
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Makefile", "tests/prove.mk", "web/README.md")
SUFFIXES = (".md", ".cc", ".h", ".proto", ".py", ".ts", ".tsx", ".html", ".css", ".yaml", ".yml", ".json", ".toml", ".txt", ".cmake", ".sh", ".table")
# The list itself and its test name them; what is recorded stays as it was.
EXEMPT = ("tools/check_words.py", "tests/unit/tools/check_words_test.py", "tests/baseline/corpus.txt", "tests/baseline/digests.txt",
          "tests/baseline/counts.txt")
# Its other lines are pieces of source text and ids.
MUTANTS = "tests/mutants/mutants.txt"
MUTANT_PROSE = ("rule:", "#")

STUMBLING = [
    (r"\b(?:is|are|was|were|be|been|being)\s+told\b", "receives, is notified, reports: say who sends what"),
    (r"\bwhom\b", "name the person or the job, and make it the subject or the object"),
    (r"\banew\b", "again, from scratch, re-created"),
    (r"\bso (?:long|many|often)\b", "the number, that time, at that interval"),
    (r"\b(?:asks? for|needs?|asked for) a person\b", "operator action required"),
    (r"\breckon(?:s|ed|ing)?\b", "compute, count, expect"),
    (r"\bmend(?:s|ed|ing)?\b", "fix, repair"),
]
COMMENT_MARKS = re.compile(r"\s*\n\s*(?://|#|\*|>)?\s*")


def files_of(root):
    found = [root / page for page in PAGES if (root / page).exists()]
    for place in PLACES:
        found += (path for path in (root / place).rglob("*")
                  if path.suffix in SUFFIXES and path.is_file() and "node_modules" not in path.parts)
    return sorted(path for path in found if str(path.relative_to(root)) not in EXEMPT)


def text_of(path, root):
    text = path.read_text(encoding="utf-8", errors="replace")
    if str(path.relative_to(root)) != MUTANTS:
        return text
    return "\n".join(line if line.startswith(MUTANT_PROSE) else "" for line in text.split("\n"))


def stumbling_in(text):
    """(line, what was found, what to write).  A construction may be broken over two lines of a comment."""
    for pattern, instead in STUMBLING:
        broken = re.compile(pattern.replace(r"\s+", " ").replace(" ", r"(?:\s*\n\s*(?://|#|\*|>)?\s*|\s+)"), re.IGNORECASE)
        for match in broken.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, COMMENT_MARKS.sub(" ", match.group()), instead


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    files = files_of(root)
    found = 0
    for path in files:
        for line, words, instead in sorted(stumbling_in(text_of(path, root))):
            found += 1
            print(f"{path.relative_to(root)}:{line}: \"{words}\": write {instead}")
    print(f"{len(files)} files, {found} constructions that readers stumble over")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
