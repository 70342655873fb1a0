#!/usr/bin/python3
"""A new user comes from nothing to a job, its output and its cost in six commands at most, as the README says.

That they work is shown where every block of every document is run, and by `make prove-fresh` in a fresh Debian.
"""

import pathlib
import unittest

from blocks import blocks_of

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
COMMANDS_MAX = 6


def section(title):
    """The text of the README below a heading, until the next one."""
    return README.read_text(encoding="utf-8").split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def commands(title):
    """Those of a section's blocks, each line one, without comments behind them."""
    found = []
    for block in blocks_of("README.md", section(title)):
        lines = [line[2:] for line in block.text.splitlines() if line.startswith(("# ", "$ "))] if block.language == "console" else block.text.splitlines()
        found += [line.split("  #")[0].strip() for line in lines if line.strip()]
    return found


class FirstJob(unittest.TestCase):
    def test_six_commands_from_nothing(self):
        set_up = [command for command in commands("Two commands") if command != "make test"]
        self.assertEqual([command.split()[0] for command in set_up], ["apt", "git", "make"], set_up)
        first = commands("A first job")
        self.assertEqual(len([command for command in first if "gpu-platform run " in command]), 1, first)
        self.assertIn("gpu-platform cost report", first)
        self.assertLessEqual(len(set_up) + len(first), COMMANDS_MAX, set_up + first)


if __name__ == "__main__":
    unittest.main()
