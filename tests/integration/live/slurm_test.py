#!/usr/bin/python3
"""No agent starts in a job of Slurm: what it hands out is Slurm's again when the job ends, and its own jobs run on.

Slurm is the real one, of Debian, on loopback.
"""

import os
import shlex
import sys

from live_platform import Cli, ClusterTest, eventually, main
from live_platform.case import SKIPPED
from live_platform.slurm import Slurm, missing


class InsideSlurm(ClusterTest):
    def setUp(self):
        super().setUp()
        self.slurm = Slurm(self.directory("slurm"), place=self.cluster.sandbox.place("slurm"))

    def tearDown(self):
        if not self._outcome.success:
            sys.stderr.write(f"{self.slurm.logs()}\n")
        self.slurm.ask("scancel", "--full", "--user=root")
        eventually(lambda: not self.slurm.ask("squeue", "-h"), lambda: f"its jobs end: {self.slurm.ask('squeue')}")
        self.slurm.stop()
        super().tearDown()

    def directory(self, name):
        path = os.path.join(self.cluster.directory, name)
        os.mkdir(path)
        return path

    def submit(self, *words):
        """A batch job of three GPUs that runs the program with these words: its number, and the file that has what is said.

        The exit code is in a file beside it, once there is one.
        """
        place = self.directory(f"job-{len(os.listdir(self.cluster.directory))}")
        command = shlex.join([self.cli.binary, *words])
        with open(f"{place}/script", "w", encoding="utf-8") as script:
            script.write(f"#!/bin/sh\n{command}\necho $? > {place}/code.new\nmv {place}/code.new {place}/code\n")
        job = self.slurm.ask("sbatch", "--parsable", "--gres=gpu:h100:3", "--chdir=/", "--output", f"{place}/said", f"{place}/script").strip()
        self.assertTrue(job.isdigit(), f"Slurm takes it\n{self.slurm.logs()}")
        return job, f"{place}/said"

    def agent(self, *flags):
        state = os.path.join(self.cluster.directory, "pilot-state")
        return self.submit("agent", "--controller", self.cluster.run_directory, "--node-index", "3", "--name", "pilot", "--state", state, *flags)

    def assert_refused(self, job, said):
        code = os.path.join(os.path.dirname(said), "code")
        eventually(lambda: os.path.exists(code), lambda: f"it ends: {read(said)}\n{self.slurm.logs()}", timeout=60)
        self.assertEqual(read(code).strip(), "4", read(said))
        self.assertIn(f"this process runs inside Slurm's job {job} (SLURM_JOB_ID): two schedulers would hand out the same GPUs", read(said))
        self.assertEqual(self.cluster.node_names(), ["dgx-h100-0"])

    def test_no_agent_starts_in_a_job_whether_its_machine_is_real_or_played(self):
        self.assert_refused(*self.agent())
        self.assert_refused(*self.agent("--simulate", "dgx-h100"))
        # It is not the flag that makes it the controller's own.
        self.assert_refused(*self.agent("--simulate", "dgx-h100", "--with-parent"))

    def test_a_controller_with_nodes_of_its_own_starts_in_a_job(self):
        place = self.directory("own")
        job, said = self.submit("serve", "--simulate", "dgx-h100", "--ephemeral", "--state", f"{place}/state", "--run-dir", f"{place}/run")
        own = Cli(self.cli.binary, f"{place}/run")
        def has_joined():
            status = own("status", "-o", "json")
            return status.code == 0 and [node["name"] for node in status.json.get("nodes", [])] == ["dgx-h100-0"]
        eventually(has_joined, lambda: f"its node joins: {read(said)}\n{self.slurm.logs()}", timeout=60)
        self.slurm.ask("scancel", "--full", job)
        eventually(lambda: own("status").code != 0, lambda: f"it ends with the job: {read(said)}", timeout=60)


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return "(nothing)"


if __name__ == "__main__":
    if missing():
        sys.stderr.write(f"SKIPPED: Slurm's {', '.join(missing())} not installed: apt-get install slurmctld slurmd (tools/setup-debian --with-tests)\n")
        sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)
    main()
