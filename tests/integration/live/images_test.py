#!/usr/bin/python3
"""Jobs in images: their root directory, what they see of the host, their devices, exec, restarts."""

import os
import pathlib
import subprocess

from live_platform import ClusterTest, eventually, main
from live_platform.images import base_layout, make_image
from oci_layout import Layout, directory, member


class Layers(ClusterTest):
    """Images of an OCI layout: the node unpacks their layers, each once."""

    options = {"nodes": 1}

    def setUp(self):
        super().setUp()
        self.layout, self.base = base_layout(self.cluster.directory)
        self.layers = f"{self.cluster.agent_state(0)}/images/layers"

    def run_in(self, image, script, *flags):
        return self.cli("-q", "run", "--image", f"oci:{self.layout.path}{image}", *flags, "--", "/bin/sh", "-c", script)

    def end_of(self, image, cli=None):
        """The end of a job in it, and what describe says."""
        job = (cli or self.cli).start("--image", image, command=["/bin/cat", "/of-the-image"])
        self.cli.wait(job)
        return self.cli.job(job)["attempts"][-1], self.cli("jobs", "describe", job).ok().out

    def test_layers_are_stacked_and_unpacked_once(self):
        top = self.layout.add_layer([member("of-the-top", b"top\n"), member(".wh.of-the-image"), directory("work"), directory("bin"), member("etc/made", b"x")])
        self.layout.add_image([self.base, top], "v2", {"Env": ["PATH=/bin:/opt/tool", "TOOL=yes", "GP_JOB_ID=0"], "WorkingDir": "/work"})
        self.layout.add_image([self.base], "v1")
        told = self.run_in(":v2", "cat /of-the-top; ls /of-the-image; echo $PATH $TOOL; test $GP_JOB_ID != 0 || echo wrong")
        self.assertIn("/of-the-image", told.err)
        unpacked = {name: os.stat(f"{self.layers}/{name}/root").st_ino for name in os.listdir(self.layers)}
        self.assertEqual(len(unpacked), 2)
        self.assertEqual(self.run_in(":v1", "cat /of-the-image; ls /of-the-top").out, "yes\n")
        self.assertEqual({name: os.stat(f"{self.layers}/{name}/root").st_ino for name in os.listdir(self.layers)}, unpacked)
        self.assertEqual(told.out, "top\n/bin:/opt/tool yes\n", told.err)
        job, = self.cli.submit({"image": f"oci:{self.layout.path}:v2", "run": "pwd"})
        self.assertEqual(self.cli.wait(job), 0)
        self.assertEqual(self.cli("jobs", "logs", job).ok().out, "/work\n")

    def test_what_a_job_reports_is_kept(self):
        """The supervisor has left the host's root by then."""
        self.layout.add_image([self.base], "v1")
        job = self.cli.start("--image", f"oci:{self.layout.path}:v1", command=["/bin/sh", "-c", 'echo "metric step=3 train/loss=0.5" > "$GP_REPORT"; sleep 0.2'])
        self.cli.wait(job)
        series = eventually(lambda: self.cli("jobs", "metrics", job, "-o", "json").json["series"], "its metrics come")
        point, = series[0]["points"]
        self.assertEqual((int(point["step"]), point["last"]), (3, 0.5))

    def test_what_skopeo_writes(self):
        """From an archive of Docker, and compressed by zstd."""
        self.layout.add_image([self.base, self.layout.add_layer([member("of-the-top", b"top\n")])], "v1", {"Env": ["TOOL=yes"]})
        archive = os.path.join(self.cluster.directory, "docker.tar")
        copied = os.path.join(self.cluster.directory, "copied")
        for source, target in [(f"oci:{self.layout.path}:v1", f"docker-archive:{archive}:train:v1"), (f"docker-archive:{archive}", f"oci:{copied}:gzip")]:
            subprocess.run(["skopeo", "--insecure-policy", "copy", "-q", source, target], check=True)
        subprocess.run(["skopeo", "--insecure-policy", "copy", "-q", "--dest-compress-format", "zstd", f"docker-archive:{archive}", f"oci:{copied}:zstd"], check=True)
        blobs = pathlib.Path(copied, "blobs/sha256").iterdir()
        self.assertIn(b"\x28\xb5\x2f\xfd", {blob.read_bytes()[:4] for blob in blobs}, "of zstd")
        for tag in ("gzip", "zstd"):
            told = self.cli("-q", "run", "--image", f"oci:{copied}:{tag}", "--", "/bin/sh", "-c", "cat /of-the-image /of-the-top; echo $TOOL")
            self.assertEqual(told.out, "yes\ntop\nyes\n", told.err)

    def test_many_layers(self):
        layers = [self.layout.add_layer([member("number", b"%d\n" % n), member(f"of-{n}", b"x")]) for n in range(60)]
        self.layout.add_image([self.base, *layers, layers[3], self.base], "many")
        told = self.run_in(":many", "cat /number; ls -d /of-* | cat").ok().out.split()
        self.assertEqual((told[0], len(told)), ("3", 62))

    def test_an_image_by_its_digest_stays_when_its_tag_moves(self):
        first = self.layout.add_image([self.base], "latest")
        self.layout.add_image([self.base, self.layout.add_layer([member("new", b"x")])], "latest")
        self.assertEqual(self.run_in(f"@{first}", "ls /new; cat /of-the-image").out, "yes\n")
        self.assertEqual(self.run_in(":latest", "ls /new").out, "/new\n")

    def test_what_cannot_be_used_ends_the_job_with_the_reason(self):
        self.layout.add_image([self.base], "v1")
        end, told = self.end_of(f"oci:{self.layout.path}:v2")
        self.assertEqual(end["end_class"], "could-not-start", end)
        self.assertIn("no image with the tag v2: its tags are v1", told)
        descriptor, _ = self.base
        self.layout.add_image([(descriptor, "sha256:" + "0" * 64)], "lying")
        end, told = self.end_of(f"oci:{self.layout.path}:lying")
        self.assertEqual(end["end_class"], "could-not-start", end)
        self.assertIn("has other content than its manifest says", told)
        with open(self.layout.blob_path(descriptor["digest"]), "r+b") as blob:
            blob.seek(1000)
            blob.write(b"damaged")
        end, told = self.end_of(f"oci:{self.layout.path}:v1")
        self.assertEqual(end["end_class"], "could-not-start", end)
        self.assertEqual(os.listdir(self.layers), [])
        self.assertEqual(os.listdir(f"{self.layers}/../building"), [])

    def test_a_user_has_a_layer_once_he_has_shown_it(self):
        digest = self.layout.add_image([self.base], "v1")
        self.run_in(":v1", "true").ok()
        os.chmod(self.cluster.directory, 0o755)
        other = Layout(os.path.join(self.cluster.directory, "other"))
        _, diff_id = self.base
        empty, _ = other.add_layer([])
        other.add_image([(empty, diff_id)], "stolen")
        subprocess.run(["chmod", "-R", "a+rX", other.path], check=True)
        thief = self.cli.as_user(1234)
        end, told = self.end_of(f"oci:{other.path}:stolen", thief)
        self.assertEqual(end["end_class"], "could-not-start", end)
        self.assertIn("has other content than its manifest says", told)
        told = thief("-q", "run", "--image", f"oci:{self.layout.path}@{digest}", "--", "/bin/cat", "/of-the-image")
        self.assertEqual(told.out, "yes\n", told.err)

    def test_layers_survive_a_killed_agent(self):
        self.layout.add_image([self.base], "v1")
        job = self.cli.start("--image", f"oci:{self.layout.path}:v1", "--gpus", "1", command=["/bin/sleep", "1000"])
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "the job runs")
        self.cluster.agents[0].kill()
        self.cluster.agents[0].start()
        eventually(lambda: self.cli("jobs", "exec", job, "--", "cat", "/of-the-image").out == "yes\n", "the agent is back")
        self.assertEqual(self.run_in(":v1", "cat /of-the-image").out, "yes\n")
        self.assertEqual(len(os.listdir(self.layers)), 1)


class LayersOfGangs(ClusterTest):
    """All ranks and attempts of a job have one image."""

    options = {"nodes": 2}

    def test_all_have_one_digest_though_the_tag_moves(self):
        shared = self.cluster.shared
        layout, base = base_layout(self.cluster.directory)
        layers = [base]
        first = layout.add_image([*layers, layout.add_layer([member("version", b"1\n")])], "v")
        script = "cat /version; echo $GP_IMAGE_DIGEST; : > /shared/$GP_ATTEMPT-$GP_NODE_RANK; until test -e /shared/go; do sleep 0.1; done; test $GP_ATTEMPT = 2"
        job = self.cli.start("--nodes", "2", "--gpus-per-node", "1", "--retries", "1", "--image", f"oci:{layout.path}:v",
                             "--mount", f"{shared}:/shared", command=["/bin/sh", "-c", script])
        eventually(lambda: all(os.path.exists(f"{shared}/1-{rank}") for rank in (0, 1)), "both ranks run")
        self.assertEqual(self.cli.job(job)["image_digest"], first)
        self.assertIn(first, self.cli("jobs", "describe", job).ok().out)
        layout.add_image([*layers, layout.add_layer([member("version", b"2\n")])], "v")
        open(f"{shared}/go", "w", encoding="ascii").close()
        self.cli.wait(job)
        self.assertEqual((self.cli.job(job)["state"], self.cli.job(job)["attempt"]), ("COMPLETED", 2))
        for attempt in ("1", "2"):
            for rank in ("0", "1"):
                told = self.cli("jobs", "logs", job, "--attempt", attempt, "--rank", rank).ok().out
                self.assertEqual(told.split(), ["1", first], f"attempt {attempt}, rank {rank}")
        other = self.cli("-q", "run", "--image", f"oci:{layout.path}:v", "--", "/bin/sh", "-c", "cat /version")
        self.assertEqual(other.out, "2\n")


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
        told = self.cli("run", "--image", "/data/train", "--", "true")
        self.assertEqual(told.code, 2)
        self.assertIn("--image", told.err)
        self.assertIn("write dir: before a directory", told.err)


if __name__ == "__main__":
    main()
