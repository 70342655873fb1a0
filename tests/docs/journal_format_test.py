#!/usr/bin/python3
"""The numbers of commands and events in docs/formats/journal.md are those of the program, and so is the version."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


class JournalFormat(unittest.TestCase):
    def rows(self, header, name):
        return re.findall(rf"^  {name.upper()}\((\w+),", text(header), re.MULTILINE)

    def told(self, heading):
        """Of the table with that heading: names by number."""
        table = re.search(rf"^\| # \| {heading} .*?\n\n", text("docs/formats/journal.md"), re.DOTALL | re.MULTILINE).group(0)
        return {int(number): name for number, name in re.findall(r"\| (\d+) \| (\w+) ", table)}

    def test_commands_and_events(self):
        for header, name in (("src/domain/cluster/command.h", "Command"), ("src/domain/cluster/event.h", "Event")):
            with self.subTest(name):
                self.assertEqual(self.told(name), dict(enumerate(self.rows(header, name))))

    def test_version(self):
        version = re.search(r"kFormatVersion = (\d+);", text("src/domain/cluster/codec/format.h")).group(1)
        self.assertIn(f"A program writes one version, {version}, and reads all from ", text("docs/formats/journal.md"))


if __name__ == "__main__":
    unittest.main()
