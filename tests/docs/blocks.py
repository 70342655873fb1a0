"""The code blocks of a Markdown document, each with what a comment before it says of its test.

    <!-- ci
    given: echo 'run: "true"' > sweep.yaml
    with: job-31 => job-1
    -->

given   a line of shell that is run before the block; any number of them
python  a line of Python before a block of it
with    in the block the first text stands for the second
is      what a YAML block is: job, settings, policy, scenario, machine, prometheus or yaml, and options for who reads it
and     a line that is added to a file of which the block shows a part
as      the user who runs a block of Python, at home; without it root does, where the documents are
file    the name under which the session's directory keeps the block
skip    why it is not run

A comment of one key may stand on one line: <!-- ci given: mkdir out -->
"""

import dataclasses
import re
import textwrap

COMMENT = re.compile(r"<!-- ci\b(.*?)-->", re.S)
NOTES = ("given", "python", "with", "is", "and", "as", "file", "skip")


@dataclasses.dataclass
class Block:
    path: str
    line: int
    language: str
    text: str
    given: list = dataclasses.field(default_factory=list)
    python: list = dataclasses.field(default_factory=list)
    substitutes: list = dataclasses.field(default_factory=list)
    added: list = dataclasses.field(default_factory=list)
    kind: str = ""
    user: str = ""
    file: str = ""
    skip: str = ""

    def __str__(self):
        return f"{self.path}:{self.line}"

    def body(self):
        text = self.text
        for old, new in self.substitutes:
            if old not in text:
                raise ValueError(f"{self}: \"{old}\" is not in the block")
            text = text.replace(old, new)
        return "".join(line + "\n" for line in self.python) + text + "".join(line + "\n" for line in self.added)


def blocks_of(path, text):
    found = []
    lines = text.split("\n")
    notes = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("<!-- ci"):
            end = next(i for i in range(at, len(lines)) if "-->" in lines[i])
            notes = "\n".join(lines[at:end + 1])
            at = end + 1
        elif line.lstrip().startswith("```"):
            end = next(i for i in range(at + 1, len(lines)) if lines[i].lstrip().startswith("```"))
            text = textwrap.dedent("\n".join(lines[at + 1:end]) + "\n")
            found.append(_block(path, at + 1, line.strip()[3:].strip(), text, notes))
            notes, at = "", end + 1
        else:
            if line.lstrip().startswith("~~~"):
                raise ValueError(f"{path}:{at + 1}: a fence is ```")
            if line.strip() and notes:
                raise ValueError(f"{path}:{at + 1}: a comment for the tests, and no block after it")
            at += 1
    return found


def _block(path, line, language, text, notes):
    block = Block(path, line, language, text)
    comment = COMMENT.search(notes)
    for note in comment.group(1).strip().split("\n") if comment else []:
        key, _, value = note.strip().partition(":")
        value = value.strip()
        if key not in NOTES or not value:
            raise ValueError(f"{block}: \"{note.strip()}\": one of {', '.join(NOTES)}, a colon and a value")
        if key == "with":
            old, arrow, new = value.partition(" =>")
            if not arrow:
                raise ValueError(f"{block}: with: OLD => NEW")
            block.substitutes.append((old, new.strip()))
        elif key in ("given", "python", "and"):
            {"given": block.given, "python": block.python, "and": block.added}[key].append(value)
        else:
            setattr(block, {"is": "kind", "as": "user"}.get(key, key), value)
    return block
