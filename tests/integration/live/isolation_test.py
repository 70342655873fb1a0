#!/usr/bin/python3
"""What a job may open, who it runs as, and whose jobs a user may touch."""

import os
import pwd

from live_platform import ClusterTest, eventually, main

# Tries to open every device node of a directory; prints "<name> <errno>" for each.
PROBE = """
import os, sys
for directory in sys.argv[1:]:
    for above, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(above, name)
            try:
                os.close(os.open(path, os.O_RDWR))
                print(os.path.relpath(path, directory), 0)
            except OSError as error:
                print(os.path.relpath(path, directory), error.errno)
"""
ENXIO = 6  # the kernel let us through, and no driver is there: a simulated GPU
EPERM = 1


class Devices(ClusterTest):
    options = {"nodes": 2}

    def probe(self, *flags):
        """Node name -> errno over the device nodes of all simulated machines; the minors granted."""
        directories = [os.path.join(self.cluster.agent_state(k), "dev") for k in (0, 1)]
        answer = self.cli("-q", "run", *flags, "--", "/usr/bin/python3", "-c", PROBE, *directories)
        errors = dict(line.rsplit(" ", 1) for line in answer.ok().out.splitlines())
        self.assertEqual(len(errors), 33, "of 16 GPUs their own and their render nodes, and what all that draw share")
        rank = self.cli.jobs("--all")[-1]["id"]
        granted = self.cli.job(rank)["attempts"][0]["ranks"][0]["gpu_uuids"]
        minors = {gpu["minor"] for _, gpu in self.cli.gpus() if gpu["uuid"] in granted}
        return {name: int(number) for name, number in errors.items()}, minors

    def test_job_opens_its_own_gpus_and_no_others(self):
        for count in (1, 3, 8):
            with self.subTest(gpus=count):
                errors, minors = self.probe("--gpus", str(count))
                self.assertEqual(len(minors), count)
                self.assertEqual({name for name, number in errors.items() if number == ENXIO},
                                 {f"nvidia{minor}" for minor in minors})
                self.assertEqual(set(errors.values()), {ENXIO, EPERM})

    def test_job_without_gpus_opens_none(self):
        errors, _ = self.probe("--gpus", "0", "--cpus", "1", "--memory", "64MiB")
        self.assertEqual(set(errors.values()), {EPERM})

    def test_isolation_stays_while_agent_and_controller_are_dead(self):
        job = self.cli.start("--gpus", "1", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "the job runs")
        rank, = self.cli.job(job)["attempts"][0]["ranks"]
        script = f"sleep 1; exec /usr/bin/python3 -c '{PROBE}' " + os.path.join(self.cluster.agent_of(rank["node"]).words[-1], "dev")
        late = self.cli.start("--gpus", "1", command=["sh", "-c", script])
        eventually(lambda: self.cli.job(late)["state"] == "RUNNING", "the probe waits")
        own, = self.cli.job(late)["attempts"][0]["ranks"][0]["gpu_uuids"]
        minor = next(gpu["minor"] for _, gpu in self.cli.gpus() if gpu["uuid"] == own)
        daemons = [self.cluster.controller, *self.cluster.agents]
        for daemon in daemons:
            daemon.kill()
        eventually(lambda: len(self.cluster.sandbox.leases()) == 2 and
                   not any("sh" == _name(pid) for pids in self.cluster.sandbox.leases().values() for pid in pids),
                   "the probe has run")
        self.cluster.start()
        self.assertEqual(self.cli.wait(late), 0)
        lines = self.cli("jobs", "logs", late).ok().out.splitlines()
        self.assertEqual([line for line in lines if not line.endswith(f" {EPERM}")], [f"nvidia{minor} {ENXIO}"])


class Users(ClusterTest):
    def whoami(self, cli):
        return cli("-q", "run", "--gpus", "1", "--", "sh", "-c", "id -u; id -g; grep -h Cap /proc/self/status").ok().out.split()

    def test_job_runs_as_its_submitter_without_privileges(self):
        uid, gid, *capabilities = self.whoami(self.cli.as_user(1234))
        self.assertEqual((uid, gid), ("1234", "1234"))
        values = dict(zip(capabilities[::2], capabilities[1::2]))
        self.assertEqual(int(values["CapEff:"], 16), 0)
        self.assertEqual(int(values["CapBnd:"], 16), 0)

    def test_roots_jobs_run_as_the_service_user(self):
        try:
            expected = pwd.getpwnam("gpu-job").pw_uid
        except KeyError:
            expected = pwd.getpwnam("nobody").pw_uid
        self.assertEqual(self.whoami(self.cli)[0], str(expected))

    def test_owner_may_what_others_may_not(self):
        owner, stranger = self.cli.as_user(1234), self.cli.as_user(4321)
        job = owner.start("--gpus", "1", command=["sh", "-c", "echo secret; sleep 1000"])
        eventually(lambda: "secret" in owner("jobs", "logs", job).out, "the job runs")
        for words in (["cancel"], ["kill"], ["hold"], ["release"], ["logs"]):
            with self.subTest(words[0]):
                answer = stranger("jobs", *words, job)
                self.assertEqual((answer.code, answer.out), (5, ""))
        self.assertNotEqual(stranger("jobs", "exec", job, "--", "true").code, 0)
        self.assert_job(job, state="RUNNING")
        owner("jobs", "kill", job).ok()
        self.assertEqual(owner.wait(job), 130)

    def test_root_may_end_anybodys_job(self):
        job = self.cli.as_user(1234).start("--gpus", "1", command=["sleep", "1000"])
        self.cli("jobs", "kill", job).ok()
        self.assertEqual(self.cli.wait(job), 130)

    def test_only_operators_change_the_service(self):
        for words in (["drain"], ["offline", "--force"], ["online"]):
            self.assertEqual(self.cli.as_user(1234)(*words, "--gpu-id", "dgx-h100-0/0").code, 5)
        self.assertEqual({gpu["state"] for _, gpu in self.cli.gpus()}, {"AVAILABLE"})

    def test_secrets_of_the_controller_are_roots_alone(self):
        for name in ("join-token", "journal.db"):
            with self.subTest(name):
                mode = os.stat(os.path.join(self.cluster.state, name)).st_mode
                self.assertEqual(mode & 0o077, 0, oct(mode))


def _name(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except OSError:
        return ""


if __name__ == "__main__":
    main()
