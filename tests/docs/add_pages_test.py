#!/usr/bin/python3
"""The files that docs/how-to/add_an_operation.md and add_a_job_field.md list are those that their examples touch.

It compares by names: a file that would have to change without naming the example does not show.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/how-to"


def listed(page):
    """The files of the page's first table, in its order."""
    table = re.search(r"^\| File \|.*?\n\n", (PAGES / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE).group(0)
    return re.findall(r"^\| \[[^\]]*\]\(\.\./\.\./([^)]+)\)", table, re.MULTILINE)


def naming(*words):
    """Of src and proto, the files that name one of these words."""
    pattern = re.compile(rf"\b({'|'.join(words)})\b")
    return {str(path.relative_to(ROOT)) for place in ("src", "proto") for path in (ROOT / place).rglob("*")
            if path.suffix in (".cc", ".h", ".proto") and pattern.search(path.read_text(encoding="utf-8"))}


class AddPages(unittest.TestCase):
    def test_an_operation_touches_eight_files(self):
        files = listed("add_an_operation.md")
        self.assertEqual(len(files), 8)
        self.assertEqual(set(files), naming("GrantRole", "RoleGranted"))

    def test_a_field_of_the_job_touches_six_files(self):
        files = listed("add_a_job_field.md")
        self.assertEqual(len(files), 6)
        acts = "src/adapters/inbound/api/operations/jobs.cc"  # what the field does; the page says so below the table
        self.assertEqual({*files[:4], acts}, naming("wait_for_nodes"))


if __name__ == "__main__":
    unittest.main()
