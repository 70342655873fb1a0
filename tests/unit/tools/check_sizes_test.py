"""The check of sizes finds planted violations, and the tree has none."""
import pathlib
import re
import tempfile
import unittest

from run_check import ROOT, run_check

CHECK = ROOT / "tools/check_sizes.py"


def definition(head, lines, indent=""):
    """A definition of this number of lines, with a method whose body ends further in."""
    body = ["  void Go() {", "  }"] + ["  int member;"] * (lines - 4 - head.count("\n"))
    return "\n".join(indent + line for line in [*head.split("\n"), *body, "};"]) + "\n"


class CheckSizes(unittest.TestCase):
    def check(self, files, known=()):
        """The result for a tree of these files, with these exceptions in place of the known ones."""
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            text, replaced = re.subn(r"^KNOWN_FOLDERS = \([^)]*\)", lambda _: f"KNOWN_FOLDERS = {tuple(known)!r}",
                                     CHECK.read_text(), flags=re.MULTILINE)
            self.assertEqual(replaced, 1)
            script = root / "check.py"
            script.write_text(text)
            return run_check(script, root)

    def assert_found(self, problem, files, known=()):
        result = self.check(files, known)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(problem, result.stdout)

    def assert_sound(self, files, known=()):
        result = self.check(files, known)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_the_tree_follows_the_rules(self):
        result = run_check(CHECK, ROOT)
        self.assertEqual(result.returncode, 0, result.stdout[-3000:])

    def test_a_class_beyond_the_limit(self):
        for head, what in (("class Lane {", "class Lane"), ("struct Lane {", "struct Lane"), ("class Lane final : public Road {", "class Lane"),
                           ("class Lane : public Road,\n             public std::enable_shared_from_this<Lane> {", "class Lane"),
                           ("template <typename T>\nclass Lane {", "class Lane"), ("struct Lane::Part : Road {", "struct Lane::Part"),
                           ("template <>\nstruct Lane<int> {", "struct Lane"), ("class alignas(64) Lane {", "class Lane"), ("struct {", "struct")):
            extra = 1 if head.startswith("template") else 0
            for path in ("src/base/lane.h", "src/base/lane.cc", "experiments/scale/lane.cc"):
                self.assert_found(f"{path}:{1 + extra}: {what} has 201 lines", {path: definition(head, 201 + extra), "src/a.h": ""})
                self.assert_sound({path: definition(head, 200 + extra), "src/a.h": ""})

    def test_a_function_beyond_the_limit(self):
        for head, name in (("void Go() {", "Go"), ("Result<int> Lane::Go(int a,\n                     int b) const {", "Lane::Go"),
                           ("template <typename T>\nvoid Go(T t) {", "Go")):
            for lines, sound in ((60, True), (61, False)):
                body = ["  Step();"] * (lines - 2 - head.count("\n"))
                text = "namespace gp {\nvoid Short() {}\n" + "\n".join([head, *body, "}"]) + "\n}  // namespace gp\n"
                if sound:
                    self.assert_sound({"src/a.cc": text})
                else:
                    self.assert_found(f"src/a.cc:3: {name} has 61 lines", {"src/a.cc": text})

    def test_a_class_within_another_and_one_that_follows_a_short_one(self):
        inner = definition("class Inner {", 201, indent="  ")
        self.assert_found("src/a.cc:3: class Inner has 201 lines", {"src/a.cc": "namespace gp {\nclass Outer {\n" + inner + "};\n}\n"})
        short = "struct None {};\nclass Later;\nenum class Kind { kOne };\n"
        self.assert_found("src/a.cc:4: class Lane has 201 lines", {"src/a.cc": short + definition("class Lane {", 201)})
        self.assert_sound({"src/a.cc": short + "int x;\n" * 300 + "struct Point {\n  int x;\n};\n"})

    def test_a_variable_of_a_struct_of_its_own(self):
        text = definition("static const struct Row {", 201).replace("};", "} kRows[] = {{1}, {2}};")
        self.assert_found("src/a.cc:1: struct Row has 201 lines", {"src/a.cc": text})

    def test_a_file_beyond_the_limit(self):
        self.assert_found("src/a.cc: it has 551 lines", {"src/a.cc": "int x;\n" * 551})
        self.assert_found("experiments/a.h: it has 551 lines", {"experiments/a.h": "int x;\n" * 551, "src/a.h": ""})
        self.assert_sound({"src/a.cc": "int x;\n" * 550})

    def test_a_folder_beyond_the_limit(self):
        def files(count):
            return {f"src/base/file_{i}.h": "" for i in range(count)} | {"src/base/below/other.h": "", "experiments/a.h": ""}
        self.assert_found("src/base: it has 41 files", files(41))
        self.assert_sound(files(40))
        self.assert_sound(files(41), known=["src/base"])

    def test_an_exception_without_need(self):
        self.assert_found("src/base: it has 1 files, so it needs no exception", {"src/base/a.h": ""}, known=["src/base"])
        self.assert_found("src/gone: it has 0 files, so it needs no exception", {"src/base/a.h": ""}, known=["src/gone"])

    def test_a_tree_without_sources_is_none(self):
        self.assertEqual(self.check({"docs/a.md": ""}).returncode, 1)


if __name__ == "__main__":
    unittest.main()
