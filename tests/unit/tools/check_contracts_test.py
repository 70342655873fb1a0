"""The check of contracts finds planted violations, and the tree has none."""
import pathlib
import tempfile
import unittest

from run_check import ROOT, run_check

CHECK = ROOT / "tools/check_contracts.py"


class CheckContracts(unittest.TestCase):
    def plant(self, path, text):
        with tempfile.TemporaryDirectory() as scratch:
            target = pathlib.Path(scratch) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            return run_check(CHECK, pathlib.Path(scratch))

    def test_the_tree_follows_the_rules(self):
        result = run_check(CHECK, ROOT)
        self.assertEqual(result.returncode, 0, result.stdout[-3000:])

    def test_a_class_without_a_contract(self):
        for head in ("class Lane {", "class Lane final : public Road {", "template <typename T>\nclass Lane {"):
            result = self.plant("src/base/lane.h", f"#pragma once\n\nnamespace gp {{\n\n{head}\n}};\n\n}}\n")
            self.assertEqual(result.returncode, 1, head)
            self.assertIn("class Lane has no contract above it", result.stdout)

    def test_a_contract_above_the_class_or_above_the_header_of_one_class(self):
        for text in ("#pragma once\n\n// Keeps lines.\nclass Lane {\n};\n", "#pragma once\n\n// Keeps lines.\n\nclass Lane {\n};\n",
                     "#pragma once\n\n// Keeps lines.\ntemplate <typename T>\nclass Lane {\n};\n", "#pragma once\n\nclass Lane;\n"):
            self.assertEqual(self.plant("src/base/lane.h", text).returncode, 0, text)

    def test_two_classes_need_a_contract_each(self):
        result = self.plant("src/base/lane.h", "#pragma once\n\n// Keeps lines.\n\nclass Lane {\n};\n\nclass Road {\n};\n")
        self.assertEqual(result.stdout.count("has no contract"), 2)

    def test_a_result_that_is_thrown_away(self):
        for call in ("(void)journal.Append(record);", "(void)!write(fd, &one, 1);", "return (void)Close(file);"):
            self.assertIn("src/base/x.cc:1: a result is thrown away by a cast", self.plant("src/base/x.cc", call + "\n").stdout, call)

    def plant_two(self, first, second):
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in (("src/a.h", first), ("src/b.cc", second)):
                target = pathlib.Path(scratch) / name
                target.parent.mkdir(exist_ok=True)
                target.write_text(text)
            return run_check(CHECK, pathlib.Path(scratch))

    def test_two_types_of_one_name(self):
        header = "// A lane.\nnamespace gp {\n\nstruct Lane {\n};\n\n}  // namespace gp\n"
        for other in ("struct Lane {\n};\n", "class Lane final : public Road {\n};\n", "class Lane\n    : public Road,\n      public Way {\n};\n", "enum class Lane { kOne };\n",
                      "struct alignas(64) Lane {\n};\n", "union Lane {\n};\n"):
            result = self.plant_two(header, f"namespace gp {{\n\n{other}\n}}  // namespace gp\n")
            self.assertIn("src/b.cc:3: gp::Lane is also the name of a type in src/a.h:4", result.stdout, other)

    def test_a_hidden_name_another_namespace_and_a_nested_one_pass(self):
        header = "// A lane.\nnamespace gp {\n\nstruct Lane {\n};\n\n}  // namespace gp\n"
        for text in ("namespace gp {\nnamespace {\n\nstruct Lane {\n};\n\n}  // namespace\n}  // namespace gp\n",
                     "namespace gp::rsh {\n\nstruct Lane {\n};\n\n}  // namespace gp::rsh\n",
                     "namespace gp {\n\nstruct Road {\n  struct Lane {\n  };\n};\nstruct Lane;\nstruct Lane::Side {\n};\n\n}  // namespace gp\n"):
            self.assertEqual(self.plant_two(header, text).returncode, 0, text)

    def test_an_unused_name_and_an_ignored_result_pass(self):
        self.assertEqual(self.plant("src/base/x.cc", "(void)count;\nIgnoreResult(Close(file), \"it is read only\");\n").returncode, 0)


if __name__ == "__main__":
    unittest.main()
