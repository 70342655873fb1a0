"""How blocks are found in documents, and what of a console's output counts."""

import unittest

from blocks import blocks_of
from docs_test import commands_in, missing_line, steps_in


class Blocks(unittest.TestCase):
    def test_a_block_has_its_language_its_line_and_its_notes(self):
        text = "# Title\n\n<!-- ci\ngiven: mkdir a\nwith: job-31 => job-1\nwith: x =>\n-->\n```sh\nshow job-31 x\n```\n\n```\nplain\n```\n"
        first, second = blocks_of("a.md", text)
        self.assertEqual((first.line, first.language, first.given), (8, "sh", ["mkdir a"]))
        self.assertEqual(first.body(), "show job-1 \n")
        self.assertEqual((second.line, second.language, second.given), (12, "", []))

    def test_notes_that_mean_nothing_are_refused(self):
        for notes in ("given", "gives: x", "with: a b", "skip:"):
            with self.assertRaises(ValueError, msg=notes):
                blocks_of("a.md", f"<!-- ci {notes} -->\n```sh\ntrue\n```\n")
        with self.assertRaises(ValueError):
            blocks_of("a.md", "<!-- ci given: x -->\nwords\n")
        with self.assertRaises(ValueError):
            blocks_of("a.md", "~~~\nx\n~~~")
        self.assertEqual(blocks_of("a.md", "1. a\n\n   ```sh\n   x\n     y\n   ```\n")[0].text, "x\n  y\n")
        stale = blocks_of("a.md", "<!-- ci with: gone => x -->\n```sh\ntrue\n```\n")[0]
        with self.assertRaises(ValueError):
            stale.body()

    def test_commands_are_lines(self):
        self.assertEqual(commands_in("# said\na \\\n  b\n\nc\n"), ["a b", "c"])
        self.assertEqual(steps_in("# a\nsays\n$ b\n"), [("a", ["says"]), ("b", [])])

    def test_what_is_shown_must_have_been_written(self):
        written = "NAME  WAIT\njob-0007   31ms  RUNNING\nend"
        self.assertIsNone(missing_line(["NAME WAIT", "job-1 1s  RUNNING", "…", "end"], written))
        self.assertEqual(missing_line(["job-1 1s QUEUED"], written), "job-1 1s QUEUED")
        self.assertEqual(missing_line(["end", "name WAIT"], written), "name WAIT")
        self.assertEqual(missing_line(["job-1 1s"], written), "job-1 1s")


if __name__ == "__main__":
    unittest.main()
