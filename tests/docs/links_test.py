"""Links between documents and to sources lead somewhere: the file is there, and so is the heading."""

import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def documents():
    """All but those of builds and of other projects."""
    return [path for path in ROOT.rglob("*.md") if not {"build", "node_modules"} & set(path.relative_to(ROOT).parts)]


def prose_of(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def anchor_of(heading):
    """As GitHub makes it: words in lower case, joined by hyphens."""
    words = re.sub(r"[`*]|\[|\]\([^)]*\)", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def anchors_in(text):
    counts = {}
    anchors = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for heading in re.findall(r"^#{1,6} +(.+?)\s*$", prose_of(text), flags=re.M):
        anchor = anchor_of(heading)
        anchors.add(anchor if anchor not in counts else f"{anchor}-{counts[anchor]}")
        counts[anchor] = counts.get(anchor, 0) + 1
    return anchors


def problem_of(document, link):
    """Why the link leads nowhere, or nothing."""
    if re.match(r"[a-z]+:", link):
        return ""  # another site
    name, _, anchor = link.partition("#")
    path = pathlib.Path(os.path.normpath(document.parent / name)) if name else document
    if not path.exists():
        return "no such file"
    if anchor and path.suffix == ".md" and anchor not in anchors_in(path.read_text(encoding="utf-8")):
        return "no such heading"
    return ""


class Links(unittest.TestCase):
    def test_all_lead_somewhere(self):
        self.assertGreater(len(documents()), 50)
        for document in documents():
            for link in LINK.findall(prose_of(document.read_text(encoding="utf-8"))):
                with self.subTest(document=str(document.relative_to(ROOT)), link=link):
                    self.assertEqual(problem_of(document, link), "")

    def test_a_dead_one_is_found(self):
        here = ROOT / "README.md"
        self.assertEqual(problem_of(here, "docs/nothing.md"), "no such file")
        self.assertEqual(problem_of(here, "docs/architecture.md#nothing"), "no such heading")
        self.assertEqual(problem_of(here, "docs/architecture.md#the-path-of-one-job"), "")

    def test_headings_become_anchors(self):
        self.assertEqual(anchors_in("# A `b`: c, d\n## Same\n## Same\n"), {"a-b-c-d", "same", "same-1"})


if __name__ == "__main__":
    unittest.main()
