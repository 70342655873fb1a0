#!/usr/bin/python3
"""Calls that mean something else than they say: what is answered to them.  No controller is needed."""

import json
import unittest

import live_platform.case
from live_platform import Cli, main


# What somebody types, and what the error must say.
WRONG = {
    "squeue -u ana": "Slurm's squeue is here: gpu-platform jobs list",
    "scontrol show job 17": "Slurm's scontrol show job is here: gpu-platform jobs describe JOB",
    "scontrol show node n1": "gpu-platform nodes describe NODE",
    "scontrol update nodename=n1 state=drain": "drain or online",
    "sacct -S now": "gpu-platform jobs list --all",
    "get pods": "kubectl's get pods is here: gpu-platform jobs list",
    "get nodes -o wide": "gpu-platform nodes list",
    "describe node n1": "gpu-platform nodes describe NODE",
    "describe pod x": "gpu-platform jobs describe JOB",
    "apply -f train.yaml": "gpu-platform jobs submit FILE",
    "delete job x": "gpu-platform jobs cancel JOB",
    "cordon n1": "gpu-platform drain NODE",
    "uncordon n1": "gpu-platform online NODE",
    "nodes drain n1": "did you mean gpu-platform drain NODE?",
    "nodes cordon n1": "did you mean gpu-platform drain NODE?",
    "nodes delete n1": "gpu-platform nodes declare-lost NODE",
    "top": "kubectl's top is here: gpu-platform watch",
    "ps": "did you mean gpu-platform jobs list?",
    "ls": "did you mean gpu-platform jobs list?",
    "logs job-1": "gpu-platform jobs logs JOB",
    "cancel job-1": "did you mean gpu-platform jobs cancel JOB?",
    "submit train.yaml": "did you mean gpu-platform jobs submit FILE?",
    "job list": "did you mean jobs?",
    "jbos list": "did you mean jobs?",
    "jobs lst": "did you mean list?",
    "jobs show job-1": "did you mean gpu-platform jobs describe JOB?",
    "jobs delete job-1": "did you mean gpu-platform jobs cancel JOB?",
    "jobs rerun job-1": "did you mean gpu-platform jobs retry JOB?",
    "jobs why job-1": "did you mean gpu-platform jobs explain JOB?",
    "queues create research": "did you mean gpu-platform queues set NAME?",
    "run --gpu 1 -- true": "did you mean --gpus?",
    "run --gpsu 1 -- true": "did you mean --gpus?",
    "run -p gpu -- true": "did you mean --queue?",
    "run --mem 4G -- true": "did you mean --memory?",
    "run -J x -- true": "did you mean --name?",
    "jobs list -u ana": "did you mean --user?",
    "jobs list -t PD": "did you mean --state?",
    "jobs list --partition gpu": "did you mean --queue?",
    "jobs list --format json": "did you mean --columns?",
    "jobs list --limit 0": '--limit: "0" is not a number from 1 to 10000',
    "jobs list -o xml": '"xml" is none of table, wide, json, yaml, csv, name',
    "jobs list -o jsn": "did you mean json?",
    "jobs logs": "JOB is missing",
    "jobs logs job-1 --rank x": '--rank: "x" is not a number',
    "jobs logs job-1 --stdout --stderr": "exclude each other: give one of them",
    "jobs priority job-1 urgent": '"urgent" is not a priority: write low, medium, high or 0 to 1000',
    "tokens create --role admn": "did you mean admin?",
    "topology --node": "--node needs a value",
    "jobs list --user a --user b": "--user is given 2 times",
    "whoami ana": 'unexpected argument "ana"',
    "config": "config needs one of: ",
    "-v": "did you mean --version?",
}


class Words(unittest.TestCase):
    def setUp(self):
        self.cli = Cli(live_platform.case.binary, "/nowhere")

    def refused(self, *words):
        """The error of a call that is none; the lines behind it name its arguments and its help."""
        answer = self.cli(*words)
        self.assertEqual((answer.code, answer.out), (2, ""), answer)
        error, *usage, see = answer.err.splitlines()
        self.assertTrue(error.startswith("error: "), answer)
        self.assertRegex("\n".join(usage), r"^(Usage: gpu-platform [a-z ]+( [\[\]A-Z.]+)+)?$", answer)
        self.assertRegex(see, r"^See: gpu-platform.* --help$")
        return error.removeprefix("error: ")

    def test_each_command_is_found_alone_as_in_the_whole_tree(self):
        commands = json.loads(self.cli("__commands").out)["subcommands"]
        for name in [command["command"].removeprefix("gpu-platform ") for command in commands]:
            alone, whole = self.cli(name, "--help"), self.cli("--no-headers", name, "--help")
            self.assertEqual((alone.code, alone.out), (0, whole.out), name)

    def test_without_a_word_it_shows_its_help(self):
        self.assertEqual(self.cli().ok().out, self.cli("--help").ok().out)
        self.assertIn("jobs", self.cli().out)

    def test_help_is_a_word_too(self):
        for words in ([], ["run"], ["jobs"], ["jobs", "list"]):
            self.assertEqual(self.cli("help", *words).ok().out, self.cli(*words, "--help").ok().out, words)
        self.assertEqual(self.refused("help", "job"), 'unknown command "job" — did you mean jobs?')
        self.assertEqual(self.refused("help", "jobs", "lst"), 'unknown command "lst" — did you mean list?')

    def test_a_word_that_is_no_command_is_named_with_what_was_meant(self):
        for words, expected in (
                (["job", "list"], '"job" — did you mean jobs?'),
                (["simulate", "scnario"], '"scnario" — did you mean scenario?'),
                (["jobs", "lst"], '"lst" — did you mean list?'),
                (["--server", "/x", "job"], '"job" — did you mean jobs?'),
                (["--output", "json", "nodes", "lis"], '"lis" — did you mean list?'),
                (["xyzzy"], '"xyzzy"')):
            self.assertEqual(self.refused(*words), f"unknown command {expected}", words)

    def test_commands_of_slurm_are_known(self):
        for word, here in (("squeue", "jobs list"), ("sbatch", "jobs submit FILE"), ("scancel", "jobs cancel JOB"), ("sinfo", "status"), ("srun", "run -- COMMAND")):
            self.assertTrue(self.refused(word).startswith(f'unknown command "{word}" — Slurm\'s {word} is here: gpu-platform {here}'), word)
            self.assertEqual(self.cli("help", *here.split()[:2 if here.startswith("jobs") else 1]).code, 0, f"{here} is there")

    def test_a_flag_that_nobody_knows_is_blamed_and_not_its_neighbours(self):
        for words, expected in (
                (["run", "--gpu", "1", "--", "true"], '"--gpu" — did you mean --gpus?'),
                (["run", "--gpus", "1", "--mem=4G", "--", "true"], '"--mem" — did you mean --memory?'),
                (["run", "--partition", "x", "--", "true"], '"--partition" — did you mean --queue?'),
                (["run", "--account", "x", "--", "true"], '"--account" — did you mean --project?'),
                (["run", "-J", "x", "--", "true"], '"-J" — did you mean --name?'),
                (["run", "--frobnicate", "--", "--gpu"], '"--frobnicate"')):
            self.assertEqual(self.refused(*words), f"unknown flag {expected}", words)

    def test_what_is_missing_is_said(self):
        self.assertTrue(self.refused("jobs").startswith("jobs needs one of: run, submit"), self.refused("jobs"))
        self.assertEqual(self.refused("run", "--gpus", "1"), "COMMAND is missing")
        self.assertIn("Usage: gpu-platform jobs logs JOB\n", self.cli("jobs", "logs").err)

    def test_wrong_lines_get_the_right_hint(self):
        self.assertGreaterEqual(len(WRONG), 40)
        for line, hint in WRONG.items():
            self.assertIn(hint, self.refused(*line.split()), line)

    def test_a_file_that_cannot_be_read_has_its_reason(self):
        for file, reason in (("/no/such.yaml", "No such file or directory"), ("/etc", "Is a directory"), ("/etc/passwd/x", "Not a directory")):
            answer = self.cli("jobs", "submit", file)
            self.assertEqual((answer.code, answer.err), (2, f"error: {file}: {reason}\n"))

    def test_a_budget_takes_whole_hours_and_says_so(self):
        self.assertIn("a whole number of GPU-hours", self.cli("budget", "set", "--gpu-hours", "0.001").err)
        self.assertIn("--money takes fractions", self.cli("budget", "set", "--gpu-hours", "half").err)


if __name__ == "__main__":
    main()
