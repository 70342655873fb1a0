"""Links of Markdown pages: which there are, and why one leads nowhere: its file is missing, or the heading in it."""

import functools
import os
import pathlib
import re

FENCE = re.compile(r"^ *```.*?^ *```[^\n]*$", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def prose_of(text):
    """The text without its blocks of code.  Their lines stay, as empty ones, so that the others keep their numbers."""
    return FENCE.sub(lambda block: "\n" * block.group().count("\n"), text)


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


@functools.cache
def _anchors_of(path):
    return anchors_in(path.read_text(encoding="utf-8"))


def leads_to_a_file(link):
    """Whether it is relative, rather than the address of another site."""
    return not re.match(r"[a-z]+:", link)


def problem_of(page, link):
    """Why the link leads nowhere, or nothing.  Other sites are not asked."""
    if not leads_to_a_file(link):
        return ""
    name, _, anchor = link.partition("#")
    path = pathlib.Path(os.path.normpath(page.parent / name)) if name else page
    if not path.exists():
        return "no such file"
    if anchor and path.suffix == ".md" and anchor not in _anchors_of(path):
        return "no such heading"
    return ""


def problems_of(page):
    """A line of text for each link of the page that leads nowhere: file, line, link, and why."""
    prose = prose_of(page.read_text(encoding="utf-8"))
    for link in LINK.finditer(prose):
        problem = problem_of(page, link.group(1))
        if problem:
            yield f"{page}:{prose.count(chr(10), 0, link.start()) + 1}: {link.group(1)}: {problem}"
