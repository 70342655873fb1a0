"""The table of operations has a row for each method, and a method without an option is refused."""
import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
spec = importlib.util.spec_from_file_location("generate_operations", ROOT / "tools/generate_operations.py")
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)


def rows(*methods):
    return list(generate.rows("service Control {\n" + "".join(methods) + "}\n"))


def method(head, *options):
    return f"  rpc {head} {{\n" + "".join(f"    option {option};\n" for option in options) + "  }\n"


class GenerateOperations(unittest.TestCase):
    def test_each_method_of_the_proto_file_has_a_row(self):
        proto = (ROOT / "proto/gpu_platform/v1/control.proto").read_text()
        rows = [line for line in generate.text(proto).splitlines() if not line.startswith("//")]
        self.assertEqual(len(rows), proto.count("\n  rpc "))
        self.assertIn("GP_UNARY(SubmitJobs, SubmitJobsRequest, SubmitJobsReply, kUser, kSomewhere, kFast)", rows)

    def test_a_row_says_who_may_and_how_long_it_takes(self):
        http = '(http) = {method: "GET", path: "/x/{name}"}'
        self.assertEqual(
            rows(method("Get(A) returns (B)", "(operation) = {role: VIEWER}", http),
                 method("Set(A) returns (B)", http, "(operation) = {role: ADMIN, everywhere: true, slow: true}"),
                 method("Watch(A) returns (stream B)", "(operation) = {role: USER}")),
            ["GP_UNARY(Get, A, B, kViewer, kSomewhere, kFast)", "GP_UNARY(Set, A, B, kAdmin, kEverywhere, kSlow)",
             "GP_STREAM(Watch, kUser, kSomewhere)"])

    def test_a_method_without_the_option_is_refused(self):
        for broken in ("  rpc Get(A) returns (B);\n", method("Get(A) returns (B)", '(http) = {method: "GET"}')):
            with self.assertRaisesRegex(SystemExit, "no option .operation.: Get"):
                rows(broken)

    def test_an_unknown_word_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "Get: .*evrywhere"):
            rows(method("Get(A) returns (B)", "(operation) = {role: USER, evrywhere: true}"))


if __name__ == "__main__":
    unittest.main()
