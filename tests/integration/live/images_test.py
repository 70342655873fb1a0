#!/usr/bin/python3
"""Jobs in images: their root directory, what they see of the host, their devices, exec, restarts."""

import os
import re
import shutil
import subprocess

from live_platform import ClusterTest, eventually, main

PROGRAMS = ("/bin/sh", "/bin/cat", "/bin/ls", "/bin/sleep", "/bin/mkdir", "/usr/bin/id")


def make_image(directory):
    """A root file system of programs of this host, with the libraries that they need."""
    files = set(PROGRAMS)
    for program in PROGRAMS:
        told = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
        files |= set(re.findall(r"(/\S+) \(", told))
    for file in files:
        os.makedirs(os.path.dirname(directory + file), exist_ok=True)
        shutil.copy(file, directory + file)
    with open(f"{directory}/of-the-image", "w", encoding="ascii") as file:
        file.write("yes\n")


class Images(ClusterTest):
    options = {"nodes": 1}

    def setUp(self):
        super().setUp()
        self.image = os.path.join(self.cluster.directory, "image")
        make_image(self.image)

    def run_in(self, script, *flags):
        return self.cli("-q", "run", "--image", f"dir:{self.image}", *flags, "--", "/bin/sh", "-c", script)

    def test_its_root_is_the_image_and_its_directories_are_the_hosts(self):
        work = os.path.join(self.cluster.directory, "work")
        os.mkdir(work)
        os.chmod(work, 0o777)
        told = self.run_in(f"cat /of-the-image; ls -d /boot; echo made > file; echo lost > /lost; ls {self.cluster.agent_state(0)}",
                           "--workdir", work)
        self.assertEqual(told.out, "yes\ndev\nreports\n", told.err)
        self.assertRegex(told.err, "(?s)/boot.*cannot create /lost")
        with open(f"{work}/file", encoding="ascii") as file:
            self.assertEqual(file.read(), "made\n")
        self.assertFalse(os.path.exists(f"{self.image}/lost"))

    def test_mounts(self):
        data = os.path.join(self.cluster.directory, "data")
        os.mkdir(data)
        with open(f"{data}/file", "w", encoding="ascii") as file:
            file.write("of the host\n")
        told = self.run_in("cat /data/file /again/file; echo x > /data/made", "--mount", f"{data}:/data:ro,{data}:/again")
        self.assertEqual(told.out, "of the host\nof the host\n", told.err)
        self.assertIn("Read-only file system", told.err)
        job = self.cli.jobs("--all")[-1]["id"]
        self.assertIn(f"Mounts      {data}:/data:ro, {data}:/again\n", self.cli("jobs", "describe", job).ok().out)
        refused = self.cli("run", "--mount", "/data", "--", "true")
        self.assertEqual(refused.code, 2)
        self.assertIn("--mount: are for jobs with an image", refused.err)

    def test_only_its_own_gpus_are_there(self):
        told = self.run_in("ls $GP_DEVICE_DIRECTORY", "--gpus", "3").ok().out.split()
        job = self.cli.jobs("--all")[-1]["id"]
        granted = self.cli.job(job)["attempts"][0]["ranks"][0]["gpu_uuids"]
        self.assertEqual(told, sorted(f"nvidia{gpu['minor']}" for _, gpu in self.cli.gpus() if gpu["uuid"] in granted))

    def test_it_resumes_from_a_checkpoint_that_the_host_keeps(self):
        os.mkdir(os.path.join(self.cluster.directory, "checkpoints"))
        os.chmod(os.path.join(self.cluster.directory, "checkpoints"), 0o777)
        checkpoints = os.path.join(self.cluster.directory, "checkpoints", "new")
        job, = self.cli.submit({"image": f"dir:{self.image}", "resources": {"gpus": 1}, "checkpoint": {"dir": checkpoints},
                                "retry": {"max": 1, "on": ["failure"], "backoff": "1s..1s"},
                                "run": "cat $GP_CHECKPOINT_DIR/at || { echo 7 > $GP_CHECKPOINT_DIR/at; exit 1; }"})
        self.assertEqual(self.cli.wait(job), 0)
        self.assertEqual(self.cli("jobs", "logs", job).ok().out, "7\n")
        self.assertIn(f"Image       dir:{self.image}\n", self.cli("jobs", "describe", job).ok().out)

    def test_exec_and_a_killed_agent(self):
        job = self.cli.start("--image", f"dir:{self.image}", "--gpus", "1", command=["/bin/sleep", "1000"])
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "the job runs")
        self.assertEqual(self.cli("jobs", "exec", job, "--", "cat", "/of-the-image").ok().out, "yes\n")
        self.cluster.agents[0].kill()
        self.cluster.agents[0].start()
        eventually(lambda: self.cli("jobs", "exec", job, "--", "cat", "/of-the-image").out == "yes\n", "the agent is back")
        self.assert_job(job, state="RUNNING", attempt=1)

    def test_what_is_not_there_ends_the_job_and_what_is_no_image_is_refused(self):
        job = self.cli.start("--image", "dir:/no/such/image", "--gpus", "1", command=["true"])
        self.assertNotEqual(self.cli.wait(job), 0)
        end = self.cli.job(job)["attempts"][-1]
        self.assertEqual(end["end_class"], "could-not-start", end)
        self.assertIn("cannot open /no/such/image: No such file or directory", self.cli("jobs", "describe", job).ok().out)
        told = self.cli("run", "--image", "nvcr.io/nvidia/pytorch:25.10-py3", "--", "true")
        self.assertEqual(told.code, 2)
        self.assertIn("--image", told.err)
        self.assertIn("dir:/", told.err)


if __name__ == "__main__":
    main()
