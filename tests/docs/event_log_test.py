#!/usr/bin/python3
"""docs/reference/event_log.md tells of every event of the log, and of no other."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
SOURCE = ROOT / "src/adapters/wire/event_line.cc"
DRAFT = ROOT / "src/adapters/wire/event_line_draft"
SOURCES = [SOURCE, *(ROOT / "src/adapters/outbound/event_log").glob("*.cc"), ROOT / "src/cmd/daemon/console_log.cc"]


def listed(function):
    """The words of the table that this function of the source gives."""
    body = re.search(r"> %s\(\) \{(.*?)\n\}" % function, SOURCE.read_text(encoding="utf-8"), re.DOTALL).group(1)
    return set(re.findall(r'"([a-z_]+)"', body))


class EventLog(unittest.TestCase):
    def test_events(self):
        page = (ROOT / "docs/reference/event_log.md").read_text(encoding="utf-8")
        told = {name for row in re.findall(r"^\| (`[^|]*) \|", page, re.MULTILINE) for name in re.findall(r"`([a-z_]+)`", row)}
        written = set()
        for source in SOURCES:
            # A call of the formatter's may stand on several lines.
            for call in re.findall(r"(?:Begin\(|OfNode\(|OfGpu\(|EventLine|LogLevel::)[^;]*;", source.read_text(encoding="utf-8")):
                written |= set(re.findall(r'"((?:budget|job|node|gpu|incident|breaker|checkpoint|log|wait|wall)_[a-z_]+|said)"', call))
        self.assertGreater(len(written), 20)
        self.assertEqual(told, written)
        self.assertEqual(listed("EventNames"), written - {"said", "log_lost_lines"})

    def test_fields(self):
        text = "".join(source.read_text(encoding="utf-8") for source in (SOURCE, DRAFT.with_suffix(".cc"), DRAFT.with_suffix(".h")))
        added = set(re.findall(r'Add\("([a-z_]+)"', text))
        self.assertGreater(len(added), 15)
        self.assertEqual(listed("EventFields"), added)


if __name__ == "__main__":
    unittest.main()
