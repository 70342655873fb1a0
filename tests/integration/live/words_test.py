#!/usr/bin/python3
"""Calls that mean something else than they say: what is answered to them.  No controller is needed."""

import json
import unittest

import live_platform.case
from live_platform import Cli, main


class Words(unittest.TestCase):
    def setUp(self):
        self.cli = Cli(live_platform.case.binary, "/nowhere")

    def refused(self, *words):
        """The error of a call that is none, and the line behind it."""
        answer = self.cli(*words)
        self.assertEqual((answer.code, answer.out), (2, ""), answer)
        error, see = answer.err.splitlines()
        self.assertTrue(error.startswith("error: "), answer)
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
                (["submit", "x.yaml"], '"submit" — did you mean gpu-platform jobs submit or gpu-platform bench submit?'),
                (["logs", "job-1"], '"logs" — did you mean gpu-platform jobs logs?'),
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
                (["jobs", "list", "--partition", "x"], '"--partition"'),
                (["run", "--frobnicate", "--", "--gpu"], '"--frobnicate"')):
            self.assertEqual(self.refused(*words), f"unknown flag {expected}", words)

    def test_what_is_missing_is_said(self):
        self.assertIn("subcommand is required", self.refused("jobs"))
        self.assertIn("command is required", self.refused("run", "--gpus", "1"))

    def test_a_file_that_cannot_be_read_has_its_reason(self):
        for file, reason in (("/no/such.yaml", "No such file or directory"), ("/etc", "Is a directory"), ("/etc/passwd/x", "Not a directory")):
            answer = self.cli("jobs", "submit", file)
            self.assertEqual((answer.code, answer.err), (2, f"error: {file}: {reason}\n"))

    def test_a_budget_takes_whole_hours_and_says_so(self):
        self.assertIn("a whole number of GPU-hours", self.cli("budget", "set", "--gpu-hours", "0.001").err)
        self.assertIn("--money takes fractions", self.cli("budget", "set", "--gpu-hours", "half").err)


if __name__ == "__main__":
    main()
