"""The commands of gpu-platform-experiments: a document of its schema each, a table, and mistakes with their fix."""
import json
import os
import pathlib
import subprocess
import unittest

import jsonschema

PROGRAM = os.environ["GPU_PLATFORM_EXPERIMENTS"]
ROOT = pathlib.Path(__file__).resolve().parents[3]
OUTPUT = json.loads((ROOT / "docs/reference/experiments_output.json").read_text(encoding="utf-8"))["commands"]
ALIBABA, PHILLY = ROOT / "data/traces/alibaba-gpu-2023", ROOT / "data/traces/philly-2017"
PACKING = ("--nodes", ALIBABA / "openb_node_list_gpu_node.csv.gz", "--pods", ALIBABA / "openb_pod_list_default.csv.gz", "--policy", "bestfit")
COMMANDS = {
    "packing": (*PACKING, "--seed", "1"),
    "schedule": ("--nodes", "10"),
    "topology": ("--jobs", "200"),
    "trace": ("--jobs", PHILLY / "philly_jobs.csv.gz", "--cluster", "80x8", "--policy", "fifo"),
}


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], text=True, capture_output=True, timeout=300)


class Experiments(unittest.TestCase):
    def document(self, command, *words):
        done = run(command, *words, "-o", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        document = json.loads(done.stdout)
        jsonschema.Draft202012Validator(OUTPUT[command]).validate(document)
        return document

    def test_every_command_prints_a_document_of_its_schema(self):
        self.assertEqual(sorted(OUTPUT), sorted(COMMANDS))
        for command, words in COMMANDS.items():
            jsonschema.Draft202012Validator.check_schema(OUTPUT[command])
            with self.subTest(command):
                self.assertTrue(self.document(command, *words))

    def test_several_seeds_are_one_document(self):
        document = self.document("packing", *PACKING, "--seeds", "2")
        self.assertEqual([one["seed"] for one in document["runs"]], [42, 43])

    def test_a_table_has_a_row_for_each_policy(self):
        done = run("trace", *COMMANDS["trace"][:-1], "fifo,skip", "-o", "csv", "--no-headers")
        self.assertEqual([line.split(",")[0] for line in done.stdout.splitlines()], ["fifo", "skip"], done)

    def test_help_shows_every_command(self):
        for words in ((), ("--help",), ("help",)):
            done = run(*words)
            self.assertEqual(done.returncode, 0, done)
            for command in COMMANDS:
                self.assertRegex(done.stdout, rf"(?m)^ +{command}\b")

    def test_mistakes_name_their_fix(self):
        for words, fix in ((("packnig",), "did you mean packing?"), (("trace", "--polcy", "fifo"), "did you mean --policy?"),
                           (("packing", *PACKING[:-1], "best"), 'no policy "best"; there are '), (("schedule", "-o", "name"), "this command offers table, csv, json and yaml")):
            refused = run(*words)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""), refused)
            self.assertIn(fix, refused.stderr)
        self.assertNotIn("Slurm", run("srun").stderr, "there is no command to name")


if __name__ == "__main__":
    unittest.main()
