#!/usr/bin/python3
"""Every code block of every document: what is a command is run, what is a file is read by what reads such files.

A document's blocks are one session, from top to bottom, in a shell of their own (shell.py): its directories, variables and
what it has started stay from one block to the next.  Comments in the documents say what a block needs (blocks.py).

  docs_test.py --binary FILE [--below DIRECTORY] [Documents.test_…]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

from blocks import blocks_of
from live_platform.sandbox import Sandbox
from reachable import reachable
from shell import Failed, Shell

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
PROMPT = re.compile(r"^[#$] (.*)$")
# What differs from one time to the next: times, ids, sums, other numbers; what is not known yet may be by then.
VARYING = [(r"[–…]", r"\S+"), (r"[\d.]+(ns|us|ms|s|m|h)", r"[\d.]+(ns|us|ms|s|m|h)"),
           (r"GPU-[0-9a-f-]{36}(,GPU-[0-9a-f-]{36})*", r"GPU-[0-9a-f-]{36}(,GPU-[0-9a-f-]{36})*"), (r"[0-9a-f]{16}", r"[0-9a-f]{16}")]

# A document that the program writes has no comments for tests.
GENERATED = {
    "docs/reference/job_file.md": "<!-- ci\ngiven: gpu-platform serve --simulate dgx-h100:2 &\nis: job --env HF_TOKEN=x\n-->\n",
}

binary = ""


# Those of a directory are a test of CTest; "": what lies in none of them.
DIRECTORIES = ("docs/how-to", "docs/reference", "docs")


def documents(below=None):
    listed = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "-C", ROOT, "ls-files", "-z", "*.md"], check=True, capture_output=True, text=True).stdout
    found = sorted(ROOT / name for name in listed.split("\0") if name)
    return [path for path in found if below is None or directory_of(path) == below]


def directory_of(path):
    relative = str(path.relative_to(ROOT))
    return next((one for one in DIRECTORIES if relative.startswith(one + "/")), "")


def commands_in(text):
    """Lines, joined where one ends with a backslash; without those that are comments alone."""
    joined = re.sub(r"\\\n\s*", "", text)
    return [line for line in joined.split("\n") if line.strip() and not line.startswith("#")]


def steps_in(text):
    """[(command, the lines that are shown under it)] of a console."""
    steps = []
    for line in text.rstrip("\n").split("\n"):
        prompt = PROMPT.match(line)
        if prompt:
            steps.append((prompt.group(1), []))
        elif steps:
            steps[-1][1].append(line)
    return steps


def ending(command):
    """What streams ends when somebody stops it."""
    return f"timeout 3 {command} | tee streamed; test -s streamed" if command.startswith("curl -N") else command


def word_pattern(word):
    for shown, written in VARYING:
        if re.fullmatch(shown, word):
            return written
    return re.sub(r"\d+", r"\\d+", re.escape(word))


def pattern_of(line):
    return re.compile(r"\s*" + r"\s+".join(map(word_pattern, line.split())) + r"\s*$")


def missing_line(shown, written):
    """The first line shown that was not written, wherever: stdout and stderr come as they like.

    A line of … stands for any, and hints (») say what happened to be.
    """
    lines = written.split("\n")
    for line in shown:
        if not line.strip() or line.startswith("»") or line.strip() == "…":
            continue
        pattern = pattern_of(line)
        if not any(pattern.match(one) for one in lines):
            return line
    return None


class Document:
    def __init__(self, test, path):
        self.test = test
        self.path = path
        self.sandbox = None
        self.shell = None

    def run(self):
        try:
            for block in blocks_of(self.path.relative_to(ROOT), self._text()):
                with self.test.subTest(block=str(block)):
                    self._check(block)
        finally:
            if self.shell:
                self.shell.kill()
                self.sandbox.close()
                self.shell.close()

    def _text(self):
        text = self.path.read_text(encoding="utf-8")
        note = GENERATED.get(str(self.path.relative_to(ROOT)), "")
        return text.replace("```", note + "```", 1) if note else text

    def _check(self, block):
        way = getattr(self, f"_{block.language or 'nothing'}_block", None)
        self.test.assertIsNotNone(way, f"nobody checks a block of \"{block.language}\"")
        if block.skip:
            print(f"not run: {block}: {block.skip}", flush=True)
            return
        for command in block.given:
            self._must(command)
        way(block)

    # What documents have blocks of.

    def _text_block(self, block):
        """A figure, or what is written somewhere: nothing to run."""

    _mermaid_block = _text_block

    def _nothing_block(self, block):
        self.test.fail("a block without a language: sh, console, python, yaml, json, or text for what is none of them")

    def _json_block(self, block):
        json.loads(block.body())

    def _cmake_block(self, block):
        calls = set(re.findall(r"^(\w+)\(", block.body(), re.M))
        known = "".join(f"function({call})\nendfunction()\n" for call in calls)  # it is read, and does nothing
        self._shell().write_file("block.cmake", known + block.body())
        self._must("cmake -P block.cmake")

    def _sh_block(self, block):
        for command in commands_in(block.body()):
            self._must(ending(command))

    def _console_block(self, block):
        for command, shown in steps_in(block.body()):
            time.sleep(0.5)  # as people read what came before
            before = len(self._shell().output)
            code, _ = self._shell().run(ending(command))
            refused = any(line.startswith("error") or ": error " in line for line in shown)
            written = self._shell().output[before:]
            self.test.assertEqual(code != 0, refused, f"{command}\n{written}")
            try:
                self._shell().wait_for_lines(before, lambda text: missing_line(shown, text) is None)
            except Failed:
                written = self._shell().output[before:]
                self.test.fail(f"{command}\nnever wrote: {missing_line(shown, written)}\nbut:\n{written}")

    def _python_block(self, block):
        program = f"PYTHONPATH=${{PYTHONPATH:-{ROOT}/clients/python}} python3 -B block.py"
        home = f"/home/{block.user}" if block.user else "."
        self._shell().write_file(f"{home}/block.py", block.body())
        self._must(f"su {block.user} -c 'cd; {program}'" if block.user else program)

    def _yaml_block(self, block):
        kind, _, options = block.kind.partition(" ")
        self.test.assertIn(kind, READERS, "which YAML is this?  <!-- ci is: KIND -->")
        file = block.file or f"{self.path.parent}/block.yaml"  # paths in it are from the document on
        self._shell().write_file(file, block.body())
        self._must(READERS[kind].format(file=file, options=options))

    def _must(self, command):
        code, text = self._shell().run(command)
        self.test.assertEqual(code, 0, f"{command}\n{text}")

    def _shell(self):
        if self.shell is None:
            self.sandbox = Sandbox(f"gp-docs-{os.getpid()}")
            self.shell = Shell(str(ROOT), binary, self.sandbox.place("shell"))
        return self.shell


# What reads a file of each kind.
READERS = {
    "job": "gpu-platform jobs submit --plan {options} {file}",
    "notify": "gpu-platform notify check {file} > /dev/null || [ $? = 1 ]",  # secrets may come later
    "policy": "gpu-platform faults policy check --policy {file}",
    "settings": "gpu-platform config validate {file}",
    "scenario": "gpu-platform simulate scenario {file}",
    "machine": "gpu-platform serve --simulate {file} --state /var/tmp/machine --run-dir /var/tmp/machine",
    "prometheus": "promtool check config --syntax-only {file}",
    "yaml": "python3 -c 'import yaml; yaml.safe_load(open(\"{file}\"))'",
}


class Documents(unittest.TestCase):
    pass


def _add_tests(below):
    for path in documents(below):
        if "```" not in path.read_text(encoding="utf-8"):
            continue
        name = "test_" + re.sub(r"\W", "_", str(path.relative_to(ROOT).with_suffix("")))
        setattr(Documents, name, lambda self, path=path: Document(self, path).run())


def main():
    global binary
    arguments = sys.argv[1:]
    options = {}
    while arguments[:1] and arguments[0] in ("--binary", "--below"):
        name = arguments.pop(0)
        options[name] = arguments.pop(0)
    binary = reachable(options["--binary"])
    if os.geteuid() != 0:
        sys.stderr.write("SKIPPED: these tests need root: they run commands in a copy of the file system\n")
        sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)
    _add_tests(options.get("--below"))
    assert any(name.startswith("test_") for name in vars(Documents)), "no document"
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)


if __name__ == "__main__":
    main()
