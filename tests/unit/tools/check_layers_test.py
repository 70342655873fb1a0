"""The layer check finds planted violations, and the tree has none."""
import pathlib
import tempfile
import tomllib
import unittest

from run_check import ROOT, run_check

CHECK = ROOT / "tools/check_layers.py"
RULES = """[layers]
base = []
"domain/model" = ["base"]
"adapters/outbound" = []
[outside]
[forbidden]
"""


class CheckLayers(unittest.TestCase):
    def test_the_tree_follows_the_rules(self):
        result = run_check(CHECK, ROOT)
        self.assertEqual(result.returncode, 0, result.stdout)

    def plant(self, path, text, rules=None, headers=()):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            (root / "tools").mkdir()
            (root / "tools/layers.toml").write_text(rules or (ROOT / "tools/layers.toml").read_text())
            for header in ("src/base/result.h", "src/adapters/outbound/sqlite/sqlite_journal.h", *headers):
                (root / header).parent.mkdir(parents=True, exist_ok=True)
                (root / header).write_text("#pragma once\n")
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            return run_check(CHECK, root)

    def assert_found(self, path, text, words, headers=()):
        result = self.plant(path, text, headers=headers)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(words, result.stdout)

    def test_a_rule_that_reaches_an_adapter(self):
        self.assert_found("src/domain/model/x.cc", '#include "adapters/outbound/sqlite/sqlite_journal.h"\n',
                          "domain/model may not include")

    def test_a_clock_in_the_core(self):
        self.assert_found("src/domain/cluster/x.cc", "#include <chrono>\n", "domain/cluster may not include <chrono>")

    def test_somebody_elses_library(self):
        self.assert_found("src/application/control/x.cc", "#include <sqlite3.h>\n", "only adapters/outbound/sqlite may include sqlite3.h")

    def test_a_sibling_adapter(self):
        self.assert_found("src/adapters/outbound/nvml/x.cc", '#include "adapters/outbound/sqlite/sqlite_journal.h"\n',
                          "adapters/outbound/nvml may not include")

    def permissions(self, ring):
        layers = tomllib.loads((ROOT / "tools/layers.toml").read_text())["layers"]
        return {(layer, other) for layer, others in layers.items() if layer.startswith(ring) for other in others}

    def test_adapters_may_not_include_each_other(self):
        shared = {"adapters/wire", "adapters/inbound/api"}
        found = {pair for pair in self.permissions("adapters/") if pair[1].startswith("adapters") and pair[1] not in shared}
        self.assertEqual(found, set())

    def test_libraries_know_no_domain(self):
        found = {pair for pair in self.permissions("lib/") if pair[1] not in ("base", "files") and not pair[1].startswith("lib/")}
        self.assertGreater(len(self.permissions("lib/")), 5)
        self.assertEqual(found, set())

    def test_a_directory_without_a_layer(self):
        self.assert_found("src/novelty/x.cc", "\n", "src/novelty/x.cc: belongs to no layer")
        self.assert_found("experiments/novelty/x.cc", "\n", "experiments/novelty/x.cc: belongs to no layer")

    def test_an_experiment_in_the_product(self):
        for layer in ("domain/cluster", "simulation", "cmd"):
            self.assert_found(f"src/{layer}/x.cc", '#include "experiments/trace/node_pool.h"\n',
                              f"src/{layer}/x.cc:1: {layer} may not include experiments/trace/node_pool.h", ["experiments/trace/node_pool.h"])

    def test_an_experiment_that_reaches_another(self):
        self.assert_found("experiments/packing/x.cc", '#include "experiments/trace/node_pool.h"\n', "experiments/packing may not include experiments/trace",
                          ["experiments/trace/node_pool.h"])

    def test_a_random_number_in_a_packing_policy(self):
        self.assert_found("experiments/packing/x.cc", "#include <random>\n", "experiments/packing may not include <random>")

    def test_allowed_includes_pass(self):
        result = self.plant("src/domain/model/x.cc", '#include "base/result.h"\n#include <vector>\n', RULES)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_a_permission_that_nobody_needs(self):
        result = self.plant("src/domain/model/x.cc", "#include <vector>\n", RULES)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("domain/model includes nothing of base: remove the permission", result.stdout)


if __name__ == "__main__":
    unittest.main()
