"""The format check finds planted violations, and the tree has none."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from run_check import ROOT, run_check

CHECK = ROOT / "tools/check_format.py"
SOUND = "int One() { return 1; }\n"


class CheckFormat(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        (self.root / "src/base").mkdir(parents=True)
        shutil.copy(ROOT / ".clang-format", self.root)
        (self.root / "src/base/sound.cc").write_text(SOUND)

    def git(self, *words):
        done = subprocess.run(["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@b", *words],
                              capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def test_the_tree_follows_the_rules(self):
        result = run_check(CHECK, ROOT)
        self.assertEqual(result.returncode, 0, result.stdout[-3000:])
        # A shallow clone has no commits to check, and says so.
        print(result.stderr, end="", file=sys.stderr)

    def test_a_sound_tree_passes(self):
        self.assertEqual(run_check(CHECK, self.root).returncode, 0)

    def test_no_sources_are_no_success(self):
        (self.root / "src/base/sound.cc").unlink()
        self.assertEqual(run_check(CHECK, self.root).returncode, 1)

    def assert_found(self, text, words):
        (self.root / "src/base/planted.cc").write_text(text)
        result = run_check(CHECK, self.root)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(words, result.stdout)

    def test_a_file_that_the_formatter_would_change(self):
        self.assert_found("int  Two() { return 2; }\n", "src/base/planted.cc:1: clang-format-19 would change it")

    def test_a_line_that_the_formatter_cannot_break(self):
        self.assert_found(f'const char* kText = R"({"x" * 90})";\n', "src/base/planted.cc:1: 116 columns, at most 100 allowed")

    def test_a_subject_that_is_too_long(self):
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "old: " + "x" * 80)
        check = self.root / "check_format.py"
        check.write_text(re.sub(r'RULE_SINCE = ".*"', f'RULE_SINCE = "{self.git("rev-parse", "HEAD")}"', CHECK.read_text()))
        self.assertEqual(run_check(check, self.root).returncode, 0)
        self.git("commit", "-q", "--allow-empty", "-m", "new: " + "x" * 68)
        result = run_check(check, self.root)
        self.assertEqual(result.returncode, 1)
        self.assertIn("its subject has 73 characters, at most 72 allowed", result.stdout)


if __name__ == "__main__":
    unittest.main()
