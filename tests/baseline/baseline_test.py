#!/usr/bin/python3
"""What the core decides is what tests/baseline says: digests of decisions and of simulated worlds, and as many tests
and assertions as ever.

baseline_test.py --bin build/release/bin [--full] [--write]

--full    2,000 worlds, and 20,000 jobs and 10,000 lives (4 min on two cores)
--write   writes down what is seen: for a commit that changes decisions, and says which and why
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORLDS = {"ci": 60, "full": 2000}
DECISIONS = {"ci": ["4000", "300"], "full": ["20000", "10000"]}


def run(words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def digest_of_worlds(programs, count):
    """One digest of all worlds' digests, by seed."""
    parts = os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(parts) as pool:
        outputs = pool.map(lambda part: run([programs / "world_digests", str(count), str(parts), str(part)]), range(parts))
        lines = sorted((line for output in outputs for line in output.splitlines()), key=lambda line: int(line.split()[0]))
    broken = [line for line in lines if len(line.split()) > 2]
    assert len(lines) == count, f"{len(lines)} worlds of {count}"
    assert not broken, "\n".join(broken)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def digests(programs, form):
    found = {f"worlds {WORLDS[form]}": digest_of_worlds(programs, WORLDS[form])}
    for line in run([programs / "decisions_digest", *DECISIONS[form]]).splitlines():
        name, _, value = line.rpartition(": ")
        assert re.fullmatch("[0-9a-f]{16}", value), f"no digest: {line}"
        found[name] = value
    return found


# What makes a test fail, by kind of file.
COUNTED = {
    "tests of C++": ("tests/**/*.cc", r"^(?:TEST|TEST_F|TEST_P)\("),
    "assertions of C++": ("tests/**/*.cc", r"\b(?:EXPECT|ASSERT)_[A-Z_]+\(|\bFAIL\(\)|\bADD_FAILURE\(\)"),
    "tests of Python": ("tests/**/*.py", r"^\s*def test_"),
    "assertions of Python": ("tests/**/*.py", r"\bself\.assert\w+\(|^\s*assert\b|\bself\.fail\("),
    "golden lines": ("tests/golden/tables/**/*", r"^\S"),
    "mutants": ("tests/mutants/mutants.txt", r"^== "),
    "tests of pages": ("web/tests/**/*", r"\b(?:it|test)\("),
}


def counts():
    found = {}
    for name, (files, pattern) in COUNTED.items():
        paths = [path for path in ROOT.glob(files) if path.is_file() and "node_modules" not in path.parts]
        found[name] = sum(len(re.findall(pattern, path.read_text(errors="replace"), flags=re.M)) for path in paths)
    return found


def read(name):
    lines = (HERE / name).read_text().splitlines() if (HERE / name).exists() else []
    return dict(line.rsplit(": ", 1) for line in lines)


def write(name, values):
    (HERE / name).write_text("".join(f"{key}: {value}\n" for key, value in values.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    seen, counted = digests(options.bin, "full" if options.full else "ci"), counts()
    if options.write:
        write("digests.txt", read("digests.txt") | seen)
        write("counts.txt", {name: max(int(read("counts.txt").get(name, 0)), value) for name, value in counted.items()})
    known, least = read("digests.txt"), read("counts.txt")
    wrong = [f"{name}: {value}, written down: {known.get(name)}" for name, value in seen.items() if known.get(name) != value]
    wrong += [f"{name}: {counted[name]}, there were {value}" for name, value in least.items() if counted[name] < int(value)]
    for line in wrong:
        print(line)
    if wrong:
        print("docs/how-to/baseline.md says what a commit does that changes these")
    print(f"{len(seen)} digests, {len(least)} counts, {len(wrong)} differ")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
