"""The check of words finds planted constructions, and the tree has none."""
import pathlib
import tempfile
import unittest

from run_check import ROOT, run_check

CHECK = ROOT / "tools/check_words.py"


class CheckWords(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.plant("src/base/sound.h", "// The controller notifies each node.  It retold the story; no amendments.\n")

    def plant(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def test_the_tree_has_none(self):
        result = run_check(CHECK, ROOT)
        self.assertEqual(result.returncode, 0, result.stdout[-3000:])

    def test_plain_words_pass(self):
        self.assertEqual(run_check(CHECK, self.root).returncode, 0)

    def test_no_files_are_no_success(self):
        (self.root / "src/base/sound.h").unlink()
        self.assertEqual(run_check(CHECK, self.root).returncode, 1)

    def test_each_construction_is_found(self):
        for words in ("the node is told", "for whom", "begins anew", "after so long", "so many nodes", "so often", "it needs a person",
                      "asks for a person", "is reckoned", "mends itself", "Whom it hits"):
            self.plant("docs/page.md", f"# A page\n\nA sentence: {words}.\n")
            result = run_check(CHECK, self.root)
            self.assertEqual(result.returncode, 1, words)
            self.assertIn("docs/page.md:3: ", result.stdout)

    def test_one_that_is_broken_over_lines_of_a_comment(self):
        self.plant("src/base/x.cc", "// What each node is\n// told, at once.\n")
        self.assertIn('src/base/x.cc:1: "is told": write', run_check(CHECK, self.root).stdout)

    def test_messages_and_help(self):
        self.plant("src/cmd/x.cc", 'const char* kHelp = "Waits for so long";\n')
        self.assertEqual(run_check(CHECK, self.root).returncode, 1)

    def test_tests_and_golden_tables(self):
        for path in ("tests/unit/base/text_test.cc", "tests/integration/live/run_test.py", "tests/golden/tables/x.table"):
            self.plant(path, "# The node is told.\n")
            self.assertIn(f'{path}:1: "is told": write', run_check(CHECK, self.root).stdout)
            (self.root / path).unlink()

    def test_of_mutants_the_rules_alone(self):
        mutant = "== told-whom\nrule: {}\nfile: src/base/x.cc\n-  // is told\n+  // begins anew\n"
        self.plant("tests/mutants/mutants.txt", mutant.format("nodes are notified"))
        self.assertEqual(run_check(CHECK, self.root).returncode, 0)
        self.plant("tests/mutants/mutants.txt", mutant.format("each node is told"))
        self.assertIn('tests/mutants/mutants.txt:2: "is told": write', run_check(CHECK, self.root).stdout)

    def test_what_is_recorded_is_left(self):
        self.plant("tests/baseline/digests.txt", "the node is told\n")
        self.assertEqual(run_check(CHECK, self.root).returncode, 0)


if __name__ == "__main__":
    unittest.main()
