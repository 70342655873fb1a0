#!/usr/bin/python3
"""docs/architecture.md, "Find a rule by its word": each search arrives, in at most two files."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| [^|]+ \| (?:`([^`]+)`|`` (.+?) ``) \| \[`([^`]+)`\]\(\.\./([^)]+)\)", re.MULTILINE)


def files_with(words):
    """Of src/, those that hold the words, whatever their case and wherever a comment breaks its line."""
    pattern = re.compile(re.escape(words).replace(r"\ ", r"(?:\s*\n\s*//\s*|\s+)"), re.IGNORECASE)
    return {str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*")
            if path.suffix in (".cc", ".h") and pattern.search(path.read_text(encoding="utf-8"))}


class RulesByWord(unittest.TestCase):
    def test_each_search_arrives_in_two_files_at_most(self):
        page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
        section = page.split("## Find a rule by its word")[1].split("\n## ")[0]
        rows = ROW.findall(section)
        self.assertGreaterEqual(len(rows), 10)
        for plain, quoted, _, target in rows:
            found = files_with(plain or quoted)
            self.assertIn(target, found, plain or quoted)
            self.assertLessEqual(len(found), 2, f"{plain or quoted}: {sorted(found)}")

    def test_a_word_that_is_everywhere_is_no_way(self):
        self.assertGreater(len(files_with("job")), 2)


if __name__ == "__main__":
    unittest.main()
