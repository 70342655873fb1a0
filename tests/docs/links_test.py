"""Links between documents and to sources lead somewhere: the file is there, and so is the heading."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from page_links import anchors_in, problem_of, problems_of  # noqa: E402


def documents():
    """All but those of builds and of other projects."""
    return [path for path in ROOT.rglob("*.md") if not {"build", "node_modules"} & set(path.relative_to(ROOT).parts)]


class Links(unittest.TestCase):
    def test_all_lead_somewhere(self):
        self.assertGreater(len(documents()), 50)
        for document in documents():
            with self.subTest(document=str(document.relative_to(ROOT))):
                self.assertEqual(list(problems_of(document)), [])

    def test_a_dead_one_is_found(self):
        here = ROOT / "README.md"
        self.assertEqual(problem_of(here, "docs/nothing.md"), "no such file")
        self.assertEqual(problem_of(here, "docs/architecture.md#nothing"), "no such heading")
        self.assertEqual(problem_of(here, "docs/architecture.md#the-path-of-one-job"), "")

    def test_a_dead_one_is_named_with_its_line_and_code_has_none(self):
        with tempfile.TemporaryDirectory() as directory:
            page = pathlib.Path(directory, "page.md")
            page.write_text("```text\n[a](gone.md)\n```\n\n1. Code:\n   ```text\n   [b](gone.md)\n   ```\n\n[c](page.md), [d](gone.md)\n")
            self.assertEqual(list(problems_of(page)), [f"{page}:10: gone.md: no such file"])

    def test_headings_become_anchors(self):
        self.assertEqual(anchors_in("# A `b`: c, d\n## Same\n## Same\n"), {"a-b-c-d", "same", "same-1"})


if __name__ == "__main__":
    unittest.main()
