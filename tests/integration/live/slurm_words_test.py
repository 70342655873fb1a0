#!/usr/bin/python3
"""The commands of docs/how-to/slurm.md, each run as it stands there."""

import pathlib
import re
import shlex
import tempfile

from live_platform import ClusterTest, eventually, main

PAGE = pathlib.Path(__file__).parents[3] / "docs/how-to/slurm.md"
COMMANDS_LEAST = 40
ENDLESS = ("--time-limit", "1h", "--gpus", "0")


def commands():
    """The right column of the table."""
    rows = re.findall(r"^\| `.*` \| `gpu-platform (.*)` \|$", PAGE.read_text(), re.M)
    return [row for row in rows if row]


class SlurmWords(ClusterTest):
    options = {"nodes": 2}

    def running(self):
        job = self.cli.start(*ENDLESS, command=["sleep", "1000"])
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", lambda: self.cli.job(job))
        return job

    def waiting(self):
        """A job that asks for more nodes than there are."""
        return self.cli.start("--gpus", "8", "--nodes", "3", "--wait-for-nodes", command=["true"])

    def named(self):
        self.running()
        return "sleep"

    def held(self):
        job = self.waiting()
        self.cli("jobs", "hold", job).ok()
        return job

    def over(self):
        self.cli("run", "--gpus", "0", "--", "true").ok()
        return self.cli("jobs", "list", "--all", "-o", "json").json["jobs"][-1]["id"]

    def array(self):
        return self.cli.start("--array", "10", *ENDLESS, command=["sleep", "1000"])

    def placeholders(self):
        """What the words in capitals stand for: a value, or what makes one."""
        return {"FILE": self.file, "NODE": self.cli.gpus()[-1][0]["name"], "QUEUE": "research", "USER": "root", "NAME": self.named, "COMMAND": "true",
                "JOB": self.running, "WAITING": self.waiting, "HELD": self.held, "OVER": self.over, "ARRAY": self.array}

    def filled(self, word):
        def value(found):
            stands_for = self.placeholders()[found.group()]
            return stands_for() if callable(stands_for) else stands_for

        return re.sub(r"\b(" + "|".join(self.placeholders()) + r")\b", value, word)

    def test_each_command_of_the_table_does_what_it_says(self):
        self.assertGreaterEqual(len(commands()), COMMANDS_LEAST)
        self.cli("queues", "set", "research").ok()
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
            file.write("#!/bin/sh\n#GPU resources: {gpus: 0}\ntrue\n")
            file.flush()
            self.file = file.name
            for command in commands():
                words = [self.filled(word) for word in shlex.split(command)]
                if "--state" in words:
                    self.waiting()
                answer = self.cli(*words, input=b"exit\n" if "--pty" in words else None)
                self.assertEqual(answer.code, 0, f"{command}\n{answer}")
                self.assertNotIn("no jobs match", answer.err, command)
                self.cli("jobs", "kill", "--all", "--yes").ok()


if __name__ == "__main__":
    main()
