"""The check of sources apart finds what a batch hides; the newest sources have none of it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("GP_BUILD", ROOT / "build/release"))


def run(*words):
    return subprocess.run([sys.executable, "-B", ROOT / "tools/check_apart.py", *words], capture_output=True, text=True)


class CheckApart(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)

    def plant(self, **sources):
        """A build of one batch, with a precompiled header."""
        for name, text in sources.items():
            (self.root / f"{name}.cc").write_text(text)
        batch = self.root / "Unity/unity_0_cxx.cxx"
        batch.parent.mkdir()
        batch.write_text("".join(f'#include "{self.root / name}.cc"\n' for name in sources))
        (self.root / "cmake_pch.hxx").write_text("#include <string>\n")
        command = f"ccache g++ -std=c++23 -include {self.root}/cmake_pch.hxx -Winvalid-pch -o batch.o -c {batch}"
        (self.root / "compile_commands.json").write_text(
            json.dumps([{"directory": str(self.root), "command": command, "file": str(batch)}]))
        return run(self.root)

    def test_sources_that_stand_alone(self):
        result = self.plant(one="#include <string>\nstd::string One() { return {}; }\n", two="int Two() { return 2; }\n")
        self.assertEqual((result.returncode, result.stdout), (0, "2 sources, 0 do not compile apart\n"))

    def test_a_name_of_a_neighbour(self):
        result = self.plant(one="namespace { int Help() { return 1; } }\nint One() { return Help(); }\n",
                            two="int Two() { return Help(); }\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("two.cc does not compile apart", result.stdout)
        self.assertNotIn("one.cc does not", result.stdout)

    def test_an_include_that_only_the_precompiled_header_has(self):
        result = self.plant(one="std::string One() { return {}; }\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("one.cc does not compile apart", result.stdout)

    def test_the_newest_sources(self):
        result = run(BUILD, "--commits", "5", "--most", "25")  # seconds each; `make prove-apart` checks all
        self.assertEqual(result.returncode, 0, result.stdout[-5000:])
        self.assertRegex(result.stdout, r"(?m)^(1?\d|2[0-5]) sources, ")


if __name__ == "__main__":
    unittest.main()
