#!/usr/bin/python3
"""The GPU driver's files in images, and the device files by which jobs draw.

The driver is played: its libraries are copies of one of this host's.
"""

import os
import shutil
import tempfile

from live_platform import ClusterTest, eventually, main
from live_platform.images import base_layout, make_image

VERSION = "580.105.08"
LIBRARY = "/lib/x86_64-linux-gnu/libutil.so.1"


def make_driver(root):
    """As an installer leaves it: libraries of one version, and links that programs ask for."""
    libraries = f"{root}/usr/lib/x86_64-linux-gnu"
    for directory in (libraries, f"{root}/usr/bin", f"{root}/usr/share/glvnd/egl_vendor.d"):
        os.makedirs(directory)
    for name in ("libcuda", "libnvidia-ml", "libnvidia-glcore"):
        shutil.copy(LIBRARY, f"{libraries}/{name}.so.{VERSION}")
        os.symlink(f"{name}.so.{VERSION}", f"{libraries}/{name}.so.1")
    for name, text in (("bin/nvidia-smi", "#!/bin/sh\necho smi\n"), ("share/glvnd/egl_vendor.d/10_nvidia.json", "{}\n")):
        with open(f"{root}/usr/{name}", "w", encoding="ascii") as file:
            file.write(text)
    os.chmod(f"{root}/usr/bin/nvidia-smi", 0o755)
    return libraries


class DriverFiles(ClusterTest):
    def setUp(self):
        root = tempfile.mkdtemp(prefix="gp-driver-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, root)
        os.chmod(root, 0o755)
        self.libraries = make_driver(root)
        self.options = {"nodes": 1, "agent_flags": ("--driver-directory", self.libraries)}
        super().setUp()
        self.image = f"{self.cluster.directory}/image"
        make_image(self.image)

    def run_in(self, image, script, *flags):
        return self.cli("-q", "run", "--image", image, *flags, "--", "/bin/sh", "-c", script)

    def test_the_loader_finds_the_libraries_in_every_kind_of_image(self):
        layout, base = base_layout(f"{self.cluster.directory}/layers")
        layout.add_image([base], "v1")
        script = "nvidia-smi; LD_PRELOAD=libcuda.so.1 cat /proc/self/maps; echo x > /usr/bin/nvidia-smi"
        for image in (f"dir:{self.image}", f"oci:{layout.path}:v1"):
            told = self.run_in(image, script, "--gpus", "1")
            self.assertTrue(told.out.startswith("smi\n"), told)
            self.assertRegex(told.out, r"libcuda\.so\.", "it is loaded")
            self.assertNotIn("cannot be preloaded", told.err)
            self.assertIn("ead-only file system", told.err)
        self.assertIn(f"jobs in images get 5 files of the driver, as in {self.libraries}", self.cluster.agents[0].text())

    def test_they_are_for_jobs_with_gpus_and_those_for_graphics_on_request(self):
        script = "ls /usr/lib /usr/bin /usr/share/glvnd/egl_vendor.d"
        told = self.run_in(f"dir:{self.image}", script, "--gpus", "1").out
        self.assertIn("libnvidia-ml.so.1\n", told)
        self.assertIn(f"libcuda.so.{VERSION}\n", told)
        self.assertNotIn("glcore", told)
        self.assertNotIn("10_nvidia", told)
        told = self.run_in(f"dir:{self.image}", script, "--gpus", "1", "--graphics").out
        for name in ("libcuda.so.1\n", "libnvidia-glcore.so.1\n", "nvidia-smi\n", "10_nvidia.json\n"):
            self.assertIn(name, told)
        told = self.run_in(f"dir:{self.image}", script, "--gpus", "0").out
        self.assertNotIn("nvidia", told)
        self.assertNotIn("libcuda", told)

    def test_what_a_job_mounts_over_their_place_stands(self):
        own = f"{self.cluster.shared}/own"
        os.makedirs(f"{own}/lib")
        told = self.run_in(f"dir:{self.image}", "ls /usr/lib; nvidia-smi", "--gpus", "1", "--mount", f"{own}/lib:/usr/lib")
        self.assertEqual(told.out, "smi\n")
        self.assertEqual(os.listdir(f"{own}/lib"), [], "nothing is made in a directory of the host")

    def test_links_of_an_image_are_replaced_and_not_followed(self):
        """Images that were made on a host with a driver have such links, and empty files."""
        os.makedirs(f"{self.image}/usr/lib", exist_ok=True)
        os.symlink("/of-the-image", f"{self.image}/usr/lib/libcuda.so.1")
        open(f"{self.image}/usr/lib/libcuda.so.{VERSION}", "w", encoding="ascii").close()
        script = f"cat /of-the-image; cat /usr/lib/libcuda.so.1 > /tmp/a; cat /usr/lib/libcuda.so.{VERSION} > /tmp/b; ls -s /tmp"
        told = self.run_in(f"dir:{self.image}", script, "--gpus", "1").out
        self.assertEqual(told.splitlines()[0], "yes")
        self.assertRegex(told, r"[1-9]\d* a\n *[1-9]\d* b")

    def test_a_driver_that_changed_under_the_agent_is_told(self):
        os.remove(f"{self.libraries}/libcuda.so.{VERSION}")
        job = self.cli.start("--image", f"dir:{self.image}", "--gpus", "1", command=["/bin/cat", "/of-the-image"])
        eventually(lambda: "restart the agent after its driver changes" in str(self.cli.job(job)), lambda: str(self.cli.job(job)))
        ended = self.cli.job(job)["attempts"][0]
        self.assertEqual(ended["charged_to"], "platform", ended)
        self.cluster.agents[0].stop()
        self.cluster.agents[0].start()
        self.assertEqual(self.cli.wait(job), 0)


class Drawing(ClusterTest):
    """By nodes that stand for render nodes: one that is granted has no driver in the kernel."""

    def nodes(self):
        return f"{self.cluster.agent_state(0)}/dev"

    def open_all(self, *flags):
        nodes = self.nodes()
        script = f"for node in {nodes}/dri/* {nodes}/nvidia-modeset; do cat $node; done"
        told = self.cli("-q", "run", *flags, "--", "/bin/sh", "-c", script)
        return {os.path.basename(line.split(":")[1]): line.rsplit(": ", 1)[1] for line in told.err.splitlines() if line.startswith("cat:")}

    def test_a_job_opens_those_of_its_gpus_alone(self):
        granted, refused = "No such device or address", "Operation not permitted"
        seen = self.open_all("--gpus", "2", "--graphics")
        self.assertEqual(seen.pop("nvidia-modeset"), granted)
        self.assertEqual(sorted(seen.values()), 2 * [granted] + 6 * [refused], seen)
        seen = self.open_all("--gpus", "2")
        self.assertEqual(set(seen.values()), {refused}, seen)

    def test_in_an_image_there_are_no_others(self):
        image = f"{self.cluster.directory}/image"
        make_image(image)
        seen = self.open_all("--gpus", "3", "--graphics", "--image", f"dir:{image}")
        self.assertEqual(len(seen), 4, seen)
        self.assertEqual(set(seen.values()), {"No such device or address"})

    def test_shared_gpus_cannot_draw(self):
        told = self.cli("run", "--share", "0.5", "--graphics", "--", "true")
        self.assertIn("graphics: needs whole GPUs", told.err)
        job = self.cli.start("--gpus", "1", "--graphics", command=["true"])
        self.cli.wait(job)
        self.assertRegex(self.cli("jobs", "describe", job).ok().out, r"Graphics +on its GPUs")
        self.assertIn("graphics", self.cli("nodes", "describe", self.cluster.node_names()[0]).ok().out)


if __name__ == "__main__":
    main()
