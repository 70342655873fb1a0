#!/usr/bin/python3
"""What `watch` draws, screen by screen, in terminals of three sizes.

The goldens are screens/VIEW-WIDTHxHEIGHT.txt; `--update` writes them again; look at them before you
commit them.  What changes from run to run (times of day, ages, percentages) is masked; in columns
by as many other characters, so that one that moves is seen.  Colours are not looked at.
"""

import contextlib
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys

from live_platform import ClusterTest, Terminal, TimedOut, eventually, main

SCREENS = pathlib.Path(__file__).parent / "screens"
SPAN = r"(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+ms|\d+s)|(?:\d+d)?(?:\d+h)?\d+m"
update = False


def hide(found):
    """As wide as what was there, its blanks included."""
    return "~".rjust(len(found.group(0)))


MASKS = [
    (r"\d\d:\d\d:\d\d", "##:##:##"),
    (r"\d{4}-\d\d-\d\dT##:##:##(?:\.\d{3})?Z", lambda found: re.sub(r"\d", "#", found.group(0))),
    (r"util \d+%", "util ~"),
    (r"(power \S+ k?W)   [▁▂▃▄▅▆▇█_.:=+*#-]+$", r"\1   ~"),
    (r"\b\d+%", hide),
    # The head is right-aligned: what the age takes or leaves, the blanks before it have.
    (r" +(GPUs \d+ .* wait \d+)(?: \(.*)?$", r"  \1 (~)"),
    (r"(data is|next try in) \d+ s", r"\1 ~ s"),
    (r"(?<=no controller answers on ).*", "~"),
    (rf"(?<= after )(?:{SPAN})$", "~"),
    (r"(?<=GPU-hours   ).*", "~"),
    # Right-aligned columns of ages; "every 1s" of the head is none.
    (rf"(?<!every)(?<=\S) +(?:{SPAN})(?=\s|$)", hide),
]


def mask(text):
    lines = text.split("\n")
    for pattern, by in MASKS:
        lines = [re.sub(pattern, by, line) for line in lines]
    return "\n".join(lines).rstrip("\n") + "\n"


class Screens(ClusterTest):
    options = {"nodes": 2}

    def setUp(self):
        self.assertIsNotNone(shutil.which("tmux"),
                             "tmux is not installed: apt-get install tmux (tools/setup-debian)")
        super().setUp()
        self.fill()

    @contextlib.contextmanager
    def only_on(self, node):
        """Jobs that are started now run there, whichever node the scheduler likes better."""
        other, = set(self.cluster.node_names()) - {node}
        self.cli("drain", "--node", other).ok()
        yield
        eventually(lambda: all(job["state"] == "RUNNING" for job in self.cli.jobs()),
                   lambda: f"all run: {self.cli.jobs()}")
        self.cli("online", "--node", other).ok()

    def start(self, name, *flags):
        return self.cli.start("--name", name, *flags, command=["sleep", "1000"])

    def fill(self):
        """Something of everything: free, used, shared, draining and broken; running, waiting."""
        with self.only_on("dgx-h100-0"):
            self.start("train", "--gpus", "4")
            self.start("notebook", "--gpus", "1", "--share", "0.5")
        with self.only_on("dgx-h100-1"):
            self.start("a-job-with-quite-a-long-name-for-its-width", "--gpus", "2")
        self.cli("drain", "--gpu-id", "dgx-h100-1/1", "--reason", "new fan").ok()
        self.cli("offline", "--gpu-id", "dgx-h100-1/7", "--reason", "fan fails").ok()
        self.start("gang", "--gpus", "8", "--nodes", "2", "--priority", "high")
        self.start("dream", "--gpus", "9", "--wait-for-nodes")
        held = self.start("held", "--gpus", "8")
        self.cli("jobs", "hold", held).ok()

    def open(self, width, height, locale="C.UTF-8"):
        terminal = Terminal(self.cluster, width, height, locale, mask)
        self.addCleanup(terminal.close)
        terminal.settled("dgx-h100-0/0")
        return terminal

    def assert_screen(self, terminal, name, sign):
        """The screen becomes the golden one; `sign` says that it is drawn."""
        path = SCREENS / f"{name}-{terminal.size}.txt"
        seen = terminal.settled(sign)
        if update:
            path.write_text(seen, encoding="utf-8")
        golden = path.read_text(encoding="utf-8")
        try:
            # Drawn it is: this is for a picture that was caught between two others.
            eventually(lambda: mask(terminal.screen()) == golden, path.name, timeout=5)
        except TimedOut:
            self.fail("\n".join(difflib.unified_diff(
                golden.splitlines(), mask(terminal.screen()).splitlines(), str(path),
                "the screen", lineterm="")))
        head = terminal.screen().split("\n", maxsplit=1)[0]
        self.assertEqual(len(head), int(terminal.size.split("x")[0]), "it ends at the border")

    def look_at_all(self, width, height):
        terminal = self.open(width, height)
        steps = [("gpus", [], "NODE/GPU"),
                 ("gpu-details", ["G", "Enter"], "more: gpu-platform health"),
                 ("help", ["Escape", "?"], "freeze the screen"),
                 ("gpus-filtered", ["Escape", "/", "o", "f", "f", "l"], "filter: offl_"),
                 ("jobs", ["Escape", "F2"], "WHERE"),
                 ("job-details", ["Enter"], "more: gpu-platform jobs describe"),
                 ("job-cancel", ["Escape", "c"], "stop now? y/n"),
                 ("queue", ["Escape", "F3"], "WHY"),
                 ("queue-sorted", ["s", "s"], "sort: NAME"),
                 ("nodes", ["F4"], "USED")]
        for name, keys, sign in steps:
            terminal.press(*keys)
            with self.subTest(name):
                self.assert_screen(terminal, name, sign)
        terminal.press("q")
        eventually(lambda: terminal.tmux("list-sessions", check=False) == "", "it has ended")

    def test_80x24(self):
        self.look_at_all(80, 24)

    def test_120x40(self):
        self.look_at_all(120, 40)

    def test_200x60(self):
        self.look_at_all(200, 60)

    def test_a_narrow_terminal_has_fewer_keys_and_the_place_beside_them(self):
        terminal = self.open(40, 10)
        foot = terminal.settled(" of 16").split("\n")[9]
        self.assertRegex(foot, r"^(Enter details  )?\? help  q quit {2,}1-\d+ of 16$")
        self.assertLessEqual(len(foot), 40)
        terminal.press("/", "d", "g", "x")
        foot = terminal.settled("type a").split("\n")[9]
        self.assertRegex(foot, r"^type a filter;.*  1-\d+ of 16$")

    def test_terminal_without_utf8(self):
        terminal = self.open(80, 24, "C")
        for name, keys, sign in [("gpus-ascii", [], "NODE/GPU"), ("jobs-ascii", ["F2"], "WHERE"), ("queue-ascii", ["F3"], "WHY")]:
            terminal.press(*keys)
            with self.subTest(name):
                self.assert_screen(terminal, name, sign)
                self.assertTrue(terminal.screen().isascii(), terminal.screen())

    def test_dumb_terminal(self):
        """No full screen there: pages of text, plain where the locale is."""
        for name, locale in (("dumb", "C.UTF-8"), ("dumb-ascii", "C")):
            environment = {**os.environ, "TERM": "dumb", "LC_ALL": locale, "GPU_PLATFORM_SERVER": self.cluster.run_directory}
            page = subprocess.run([self.cluster.binary, "watch", "--once"], env=environment, capture_output=True, text=True, encoding="utf-8", check=True).stdout
            seen = re.sub(r"(?<=\S) {2,}", "  ", mask(page))  # columns are as wide as the ages in them
            path = SCREENS / f"{name}.txt"
            if update:
                path.write_text(seen, encoding="utf-8")
            with self.subTest(name):
                self.assertEqual(seen.splitlines(), path.read_text(encoding="utf-8").splitlines())
                self.assertEqual(seen.isascii(), locale == "C", seen)
                self.assertNotIn("\x1b", seen)

    def test_terminal_that_is_resized_shows_what_one_of_that_size_shows(self):
        terminal = self.open(120, 40)
        for width, height in ((80, 24), (200, 60), (120, 40)):
            terminal.resize(20, 5)  # too small for anything, and no reason to end
            terminal.settled("##:##:##  every 1s")
            terminal.resize(width, height)
            with self.subTest(terminal.size):
                self.assert_screen(terminal, "gpus", "dgx-h100-1/7")

    def test_controller_that_is_away_is_said_above_the_last_data(self):
        terminals = [self.open(*size) for size in ((80, 24), (120, 40), (200, 60))]
        self.cluster.controller.kill()
        for terminal in terminals:
            with self.subTest(terminal.size):
                self.assert_screen(terminal, "away", "! no answer")
        self.cluster.start_controller()
        self.cluster.await_gpus()


if __name__ == "__main__":
    update = "--update" in sys.argv
    sys.argv = [word for word in sys.argv if word != "--update"]
    main()
