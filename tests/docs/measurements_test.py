"""docs/measurements.md is one page of figures: each has its command and its commit, and the check finds planted faults."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/measurements.md"
LINES, CHARACTERS = 250, 400
COLUMNS = ["What", "Command", "Figure (median)", "Goal", "Ratio to peer or limit", "Where and when"]
RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
CODE = re.compile(r"`([^`]+)`")
MAKE = re.compile(r"\bmake (?:[A-Z_]+=\S+ )*([a-z][a-z0-9-]*)")
COMMIT = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}, \d{4}-\d{2}-\d{2}\b")
TARGET = re.compile(r"^([a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)*):(?!=)", re.MULTILINE)
NOT_RUN = "not run"


def targets_of(*makefiles):
    return {name for text in makefiles for names in TARGET.findall(text) for name in names.split()}


def cells_of(row):
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def faults_of_row(row):
    cells = cells_of(row)
    if len(cells) != len(COLUMNS):
        return [f"{len(cells)} columns, not {len(COLUMNS)}"]
    faults = [] if CODE.search(cells[1]) else ["no command in backticks"]
    if not cells[2].strip("–"):
        faults.append("no figure")
    if not COMMIT.search(cells[-1]) and NOT_RUN not in cells[2]:
        faults.append("no commit with its date, and not marked as not run")
    return faults


def faults_of(text, targets):
    """What is wrong with the page, each fault with its line."""
    lines = text.splitlines()
    faults = [] if len(lines) <= LINES else [f"{len(lines)} lines, {LINES} at most"]
    rows = 0
    for number, line in enumerate(lines, 1):
        found = [f"no target: make {name}" for code in CODE.findall(line) for name in MAKE.findall(code) if name not in targets]
        if line.startswith("|"):
            if len(line) > CHARACTERS:
                found.append(f"{len(line)} characters, {CHARACTERS} at most")
            if not lines[number - 2].startswith("|"):
                if cells_of(line) != COLUMNS:
                    found.append("a table with other columns")
            elif not RULE.fullmatch(line):
                rows += 1
                found += faults_of_row(line)
        faults += [f"{number}: {fault}" for fault in found]
    return faults if rows else [*faults, "no figures"]


HEAD = f"# Figures\n\n| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"
SOUND = "| a | `make bench-a` | 3 ms | ≤ 4 ms | 0.75 | vm2, 615d6d3, 2026-11-23 |\n"


class Measurements(unittest.TestCase):
    def test_the_page_follows_the_rules(self):
        targets = targets_of((ROOT / "Makefile").read_text(), (ROOT / "tests/prove.mk").read_text())
        self.assertIn("bench-submit", targets)
        self.assertEqual(faults_of(PAGE.read_text(), targets), [])

    def assert_found(self, planted, words):
        self.assertEqual(faults_of(HEAD + SOUND + planted, {"bench-a"}), [f"6: {words}"])

    def test_a_sound_page_passes(self):
        self.assertEqual(faults_of(HEAD + SOUND, {"bench-a"}), [])

    def test_a_page_without_figures(self):
        self.assertEqual(faults_of(HEAD, set()), ["no figures"])

    def test_a_page_that_is_too_long(self):
        self.assertEqual(faults_of(HEAD + SOUND * 246, {"bench-a"}), [])
        self.assertEqual(faults_of(HEAD + SOUND * 247, {"bench-a"}), ["251 lines, 250 at most"])

    def test_a_row_that_is_too_long(self):
        self.assert_found(SOUND.replace("| a |", f"| {'a' * 400} |"), "471 characters, 400 at most")

    def test_a_row_without_a_command(self):
        self.assert_found(SOUND.replace("`make bench-a`", "make bench-a"), "no command in backticks")

    def test_a_row_without_a_figure(self):
        self.assert_found(SOUND.replace("3 ms", "–"), "no figure")

    def test_a_row_without_a_commit(self):
        words = "no commit with its date, and not marked as not run"
        self.assert_found(SOUND.replace("615d6d3, ", ""), words)
        self.assert_found(SOUND.replace("615d6d3", "effaced"), words)
        self.assert_found(SOUND.replace(", 2026-11-23", ""), words)

    def test_a_row_that_was_not_run_needs_no_commit(self):
        planted = "| a | `tools/a` | not run: needs a GPU | – | – | one H100 |\n"
        self.assertEqual(faults_of(HEAD + planted, set()), [])

    def test_a_row_with_a_column_too_few(self):
        self.assert_found(SOUND.replace(" 0.75 |", ""), "5 columns, not 6")

    def test_a_target_that_does_not_exist(self):
        self.assert_found(SOUND.replace("bench-a", "bench-b"), "no target: make bench-b")
        self.assert_found(SOUND.replace("make bench-a", "make JOBS=2 bench-b"), "no target: make bench-b")
        self.assertEqual(faults_of("Run `make bench-b`.\n" + HEAD + SOUND, {"bench-a"}), ["1: no target: make bench-b"])

    def test_a_table_with_other_columns(self):
        self.assertEqual(faults_of(HEAD + SOUND + "\n| a | b |\n|---|---|\n", {"bench-a"}), ["7: a table with other columns"])

    def test_targets_are_rules_and_not_variables(self):
        self.assertEqual(targets_of("BUILD ?= x\na := b\n.PHONY: no\nbench-a: build\n\tno: such\n", "b c:\n"), {"bench-a", "b", "c"})


if __name__ == "__main__":
    unittest.main()
