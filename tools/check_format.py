#!/usr/bin/env python3
"""Checks the format: clang-format leaves every C++ source as it is, no line of one has over 100 columns, and no
subject of a commit over 72 characters; prints each place that breaks a rule.

Usage: check_format.py [ROOT].  Exit code 1 where a rule is broken, 2 where clang-format-19 is missing.
Commits up to RULE_SINCE are older than the rule on subjects.
"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys

COLUMNS_MAX = 100
SUBJECT_MAX = 72
RULE_SINCE = "628b4cc239b3f40d91e34036ed3152eb9a25958f"
FORMATTER = "clang-format-19"
FILES_AT_ONCE = 40
PLACES = ("src", "tests", "fakes")


def sources(root):
    """Relative paths; a build directory below the root is none of ours."""
    found = (path for place in PLACES for path in (root / place).rglob("*") if path.suffix in (".cc", ".h"))
    return sorted(str(path.relative_to(root)) for path in found)


def misformatted(root, files):
    """Of each file the first place that the formatter would change."""
    done = subprocess.run([FORMATTER, "--dry-run", "--Werror", *files], cwd=root, capture_output=True, text=True)
    seen = set()
    for line in done.stderr.splitlines():
        match = re.match(r"(.+?):(\d+):\d+: error: ", line)
        if match and match.group(1) not in seen:
            seen.add(match.group(1))
            yield f"{match.group(1)}:{match.group(2)}: not as {FORMATTER} leaves it; make format"
    if done.returncode != 0 and not seen:
        yield f"{FORMATTER}: {done.stderr.strip()}"


def too_wide(root, file):
    for number, line in enumerate((root / file).read_text().splitlines(), 1):
        if len(line) > COLUMNS_MAX:
            yield f"{file}:{number}: {len(line)} columns, {COLUMNS_MAX} at most"


def long_subjects(root):
    """Of the commits after RULE_SINCE; none where there is no history to look at."""
    git = ["git", "-C", str(root)]
    if not (root / ".git").exists():
        return
    known = subprocess.run([*git, "cat-file", "-e", f"{RULE_SINCE}^{{commit}}"], capture_output=True)
    if known.returncode != 0:
        print(f"check_format: {RULE_SINCE[:7]} is not in this history: subjects of commits are not checked", file=sys.stderr)
        return
    log = subprocess.run([*git, "log", "--no-merges", "--format=%h %s", f"{RULE_SINCE}.."], capture_output=True, text=True, check=True)
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > SUBJECT_MAX:
            yield f"commit {commit}: its subject has {len(subject)} characters, {SUBJECT_MAX} at most"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    if shutil.which(FORMATTER) is None:
        print(f"check_format: {FORMATTER} is missing; run tools/setup-debian --with-tests", file=sys.stderr)
        return 2
    files = sources(root)
    batches = [files[i:i + FILES_AT_ONCE] for i in range(0, len(files), FILES_AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        broken = [problem for found in pool.map(lambda batch: list(misformatted(root, batch)), batches) for problem in found]
    broken += [problem for file in files for problem in too_wide(root, file)]
    broken += long_subjects(root)
    for problem in broken:
        print(problem)
    print(f"{len(files)} files, {len(broken)} places against the format")
    return 1 if broken or not files else 0


if __name__ == "__main__":
    sys.exit(main())
