#!/usr/bin/env python3
"""Checks the format: clang-format does not change any C++ source, no line of one has more than 100 columns, and no
commit subject more than 72 characters.  Prints each violation.

Usage: check_format.py [ROOT].  Exit code 1 if a rule is violated, 2 if clang-format-19 is missing.
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
PLACES = ("src", "experiments", "tests", "fakes")


def sources(root):
    """Relative paths of the sources; build directories below the root are not searched."""
    found = (path for place in PLACES for path in (root / place).rglob("*") if path.suffix in (".cc", ".h"))
    return sorted(str(path.relative_to(root)) for path in found)


def misformatted(root, files):
    """The first place of each file that the formatter would change."""
    done = subprocess.run([FORMATTER, "--dry-run", "--Werror", *files], cwd=root, capture_output=True, text=True)
    seen = set()
    for line in done.stderr.splitlines():
        match = re.match(r"(.+?):(\d+):\d+: error: ", line)
        if match and match.group(1) not in seen:
            seen.add(match.group(1))
            yield f"{match.group(1)}:{match.group(2)}: {FORMATTER} would change it; run make format"
    if done.returncode != 0 and not seen:
        yield f"{FORMATTER}: {done.stderr.strip()}"


def too_wide(root, file):
    for number, line in enumerate((root / file).read_text().splitlines(), 1):
        if len(line) > COLUMNS_MAX:
            yield f"{file}:{number}: {len(line)} columns, at most {COLUMNS_MAX} allowed"


def long_subjects(root):
    """Subjects of the commits after RULE_SINCE that are too long; none without a git history."""
    git = ["git", "-C", str(root)]
    if not (root / ".git").exists():
        return
    known = subprocess.run([*git, "cat-file", "-e", f"{RULE_SINCE}^{{commit}}"], capture_output=True)
    if known.returncode != 0:
        print(f"check_format: {RULE_SINCE[:7]} is not in this history: commit subjects are not checked", file=sys.stderr)
        return
    log = subprocess.run([*git, "log", "--no-merges", "--format=%h %s", f"{RULE_SINCE}.."], capture_output=True, text=True, check=True)
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > SUBJECT_MAX:
            yield f"commit {commit}: its subject has {len(subject)} characters, at most {SUBJECT_MAX} allowed"


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
    print(f"{len(files)} files, {len(broken)} violations")
    return 1 if broken or not files else 0


if __name__ == "__main__":
    sys.exit(main())
