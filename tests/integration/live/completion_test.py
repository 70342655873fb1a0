#!/usr/bin/python3
"""Completion: what a shell offers, with the names of what is there."""

import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

from live_platform import ClusterTest, main


class Completion(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 2}

    def next(self, *words):
        """The words that may come next, and what they mean."""
        answer = self.cli("__complete", "--", *words).ok().out
        return dict(line.split("\t") for line in answer.splitlines())

    def test_commands_flags_and_words(self):
        self.assertIn("jobs", self.next(""))
        self.assertEqual(set(self.next("jobs", "de")), {"describe"})
        self.assertIn("--gpus", self.next("run", "--gp"))
        self.assertIn("--output", self.next("jobs", "list", "--out"), "those that all commands take")
        self.assertEqual(set(self.next("roles", "grant", "ana", "op")), {"operator"})
        self.assertEqual(set(self.next("jobs", "list", "-o", "j")), {"json"})
        self.assertEqual(set(self.next("usage", "--by", "day,us")), {"day,user"})
        self.assertEqual(set(self.next("jobs", "list", "--output=j")), {"--output=json"})
        self.assertEqual(set(self.next("jobs", "list", "--output", "=", "j")), {"json"}, "as bash takes it apart")
        self.assertEqual(set(self.next("budget", "set", "--over", "")), {"warn", "demote", "refuse", "hold"})
        self.assertEqual(set(self.next("run", "--isolation", "m")), {"mps", "mig"})
        self.assertEqual(set(self.next("run", "--topology", "nv")), {"nvlink"})
        self.assertEqual(set(self.next("run", "--priority", "")), {"low", "medium", "high"})
        self.assertEqual(set(self.next("jobs", "list", "--state", "C")), {"COMPLETED", "CANCELLED"})
        self.assertEqual(self.next("run", "--", "jo"), {}, "the job's own words")
        self.assertNotIn("__complete", self.next("__"))

    def test_names_of_what_is_there(self):
        job = self.cli.start("--gpus", "1", command=["sleep", "60"])
        self.cli("queues", "set", "research").ok()
        self.assertIn(job, self.next("jobs", "describe", "job-"))
        self.assertIn(job, self.next("jobs", "cancel", "job-297", ""), "the last argument takes several")
        self.assertEqual(set(self.next("nodes", "pool", "dgx-h100-1")), {"dgx-h100-1"})
        self.assertEqual(self.next("queues", "delete", "res"), {"research": "pool default"})
        self.assertEqual(set(self.next("usage", "--queue", "r")), {"research"})
        self.assertEqual(set(self.next("run", "--queue", "r")), {"research"})
        self.assertEqual(set(self.next("drain", "--node", "")), {"dgx-h100-0", "dgx-h100-1"})
        self.assertEqual(set(self.next("topology", "--node", "")), {"dgx-h100-0", "dgx-h100-1"})
        self.assertIn("dgx-h100-1/7", self.next("health", "--gpu-id", "dgx"))
        self.assertIn("dgx-h100-0/0", self.next("offline", "--gpu-id", "dgx"))
        self.assertEqual(set(self.next("reservations", "create", "x", "--nodes", "dgx-h100-0,dgx-h100-1")), {"dgx-h100-0,dgx-h100-1"})

    def test_without_a_controller_commands_are_offered_all_the_same(self):
        os.environ["GPU_PLATFORM_SERVER"] = "/nowhere"
        self.addCleanup(os.environ.pop, "GPU_PLATFORM_SERVER")
        offline = subprocess.run([self.cli.binary, "__complete", "--", "jobs", ""], capture_output=True, text=True, timeout=10, check=True)
        self.assertIn("describe\t", offline.stdout)

    def bash(self, *words):
        script = f'source <({self.cli.binary} completion bash); PATH={os.path.dirname(self.cli.binary)}:$PATH; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpu_platform; printf "%s\\n" "${{COMPREPLY[@]}}"'
        return subprocess.run(["bash", "-c", script, "bash", "gpu-platform", *words], capture_output=True, text=True, check=True,
                              env={**os.environ, "GPU_PLATFORM_SERVER": self.cli.server}).stdout.split()

    def test_in_bash(self):
        self.assertEqual(self.bash("jobs", "desc"), ["describe"])
        self.assertEqual(self.bash("nodes", "pool", "dgx-h100-0"), ["dgx-h100-0"])

    def test_a_name_is_no_command_of_the_shell(self):
        """Whoever names a node does not run programs as the admin who completes it."""
        with tempfile.TemporaryDirectory() as directory:
            program = pathlib.Path(directory, "gpu-platform")
            program.write_text(f"#!/bin/sh\nprintf '%s\\tmeaning\\n' '$(touch {directory}/run)' 'two words' '`touch {directory}/run`'\n", encoding="utf-8")
            program.chmod(0o755)
            script = f'source <({self.cli.binary} completion bash); PATH={directory}:$PATH; COMP_WORDS=(gpu-platform drain ""); COMP_CWORD=2; _gpu_platform; printf "%s\\n" "${{COMPREPLY[@]}}"'
            offered = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.splitlines()
            self.assertEqual([shlex.split(one) for one in offered], [[f"$(touch {directory}/run)"], ["two words"], [f"`touch {directory}/run`"]])
            self.assertEqual(os.listdir(directory), ["gpu-platform"])

    def test_scripts_are_sound(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.cli("completion", shell).ok().out
            self.assertIn("__complete", script)
            if shutil.which(shell):
                subprocess.run([shell, "-n", "/dev/stdin"] if shell != "fish" else ["fish", "--no-execute"], input=script, text=True, check=True)


if __name__ == "__main__":
    main()
