#!/usr/bin/python3
"""The Ansible roles on two Debian machines under systemd: first run, second run, settings, upgrades, the driver's life-cycle.

ansible_test.py --packages DIRECTORY [--cache DIRECTORY]
Needs root, ansible-core, mmdebstrap and dpkg-dev.  The machines boot for real; their GPUs are simulated, and packages with the
names of the driver's say which driver a machine has loaded at its boot.
"""

import json
import os
import re
import subprocess
import threading
import time

import machine
import playbooks
import repack
from playbooks import OURS, ROOT, places

FIRST, SECOND, THIRD = "535.183.01-1", "550.54.15-1", "550.90.07-1"
ADDRESSES = {"n1": "10.0.0.1", "n2": "10.0.0.2"}


class Power:
    """Boots a machine again when it has shut itself down, and plugs its cable in."""

    def __init__(self, machines):
        self.machines = machines
        self.is_on = True
        self.lock = threading.Lock()
        self.plug()
        self.threads = [threading.Thread(target=self.keep, args=(one,), daemon=True) for one in machines]
        for thread in self.threads:
            thread.start()

    def plug(self):
        """The kernel takes a moment to remove the cable of a machine that has ended.  If the other one has too, its boot does this."""
        end = time.monotonic() + 10
        while all(one.starter.poll() is None for one in self.machines):
            try:
                machine.connect(*self.machines, *ADDRESSES.values())
                return
            except subprocess.CalledProcessError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def keep(self, one):
        while True:
            one.starter.wait()
            with self.lock:  # both may boot at once
                if not self.is_on:
                    return
                one.start()
                self.plug()

    def off(self):
        with self.lock:
            self.is_on = False
        for one in self.machines:
            one.stop()
        for thread in self.threads:
            thread.join()


def make_driver(directory):
    """A repository with three versions of the driver, under the names of Debian's packages."""
    with open(f"{ROOT}/data/machines/dgx-h100.yaml", encoding="utf-8") as file:
        description = file.read()
    for version in (FIRST, SECOND, THIRD):
        upstream = version.split("-", maxsplit=1)[0]
        loaded = re.sub(r'(?<=^driver: \{version: )"[\d.]+"', f'"{upstream}"', description, flags=re.M)
        assert upstream in loaded
        module = {"usr/share/nvidia-kernel-dkms/machine.yaml": loaded,
                  "usr/lib/tmpfiles.d/nvidia-kernel-dkms.conf": "C /run/loaded-driver.yaml - - - - /usr/share/nvidia-kernel-dkms/machine.yaml\n"}
        for name, depends, files in (("nvidia-kernel-dkms", (), module), ("libcuda1", (), {}), ("libnvidia-ml1", (), {}),
                                     ("nvidia-smi", ("libnvidia-ml1",), {}), ("nvidia-driver", ("nvidia-kernel-dkms", "nvidia-smi", "libcuda1"), {})):
            repack.stand_in(name, version, f"{directory}/{name}_{version}_all.deb", depends, files)
    repack.index(directory)


class Ansible(playbooks.Playbooks):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        archive = machine.base_archive(places["cache"], more=("python3", "python3-apt"))
        cls.first = machine.Machine("n1", archive)
        cls.second = machine.Machine("n2", archive)
        power = Power((cls.first, cls.second))
        cls.addClassCleanup(power.off)
        cls.version = playbooks.version_of_packages()
        for one in (cls.first, cls.second):
            one.write("/etc/hosts", "127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in ADDRESSES.items()))
            one.write("/etc/apt/sources.list", "deb [trusted=yes] file:/srv/driver ./\n")  # and nothing else: they have no network
            os.makedirs(one.path("/srv/driver"))
            make_driver(one.path("/srv/driver"))
            os.makedirs(one.path("/srv/newer"))
            for name in OURS:
                repack.newer(places["packages"], name, one.path(f"/srv/newer/{name}.deb"))
            repack.index(one.path("/srv/newer"))
            one.write("/usr/local/sbin/test-gpu", "#!/bin/sh\n! [ -e /etc/broken ]\n")
            os.chmod(one.path("/usr/local/sbin/test-gpu"), 0o755)
        cls.settings = {"listen": {"grpc": "10.0.0.1:7070"}, "agent": {"enabled": False}, "log": "text"}
        cls.drop_ins = {}
        cls.agent_settings = {"name": "{{ inventory_hostname }}", "simulate": "/run/loaded-driver.yaml", "node_index": "{{ machine_index }}", "gpu_test": "/usr/local/sbin/test-gpu"}
        cls.source = {"gpu_platform_deb_directory": places["packages"]}
        cls.driver = FIRST

    def inventory(self):
        return playbooks.inventory_of((self.first, self.second), {
            **self.source, "gpu_platform_controller_settings": self.settings, "gpu_platform_controller_drop_ins": self.drop_ins,
            "gpu_platform_agent_settings": self.agent_settings,
            "gpu_platform_driver_version": self.driver, "gpu_platform_driver_poll_seconds": 1,
            # The machines share the kernel and its boot id: the first process has a start of its own.
            "gpu_platform_driver_boot_time_command": "cut -d' ' -f22 /proc/1/stat",
        }, {"gpu_platform_controller": ["n1"], "gpu_platform_nodes": ["n1", "n2"]})

    def node(self, name):
        return json.loads(self.first.must("gpu-platform", "nodes", "describe", name, "-o", "json"))

    def job(self, job_id):
        return json.loads(self.first.must("gpu-platform", "jobs", "describe", job_id, "-o", "json"))

    def submit(self, *words):
        return self.first.must("gpu-platform", "run", "-d", *words).split()[-1]

    def await_state(self, job_id, state):
        self.first.until(60, f"{job_id} is {state}", "sh", "-c", f"gpu-platform jobs list --all --state {state} -o name | grep -qx {job_id}")

    def driver_of(self, one):
        return one.must("dpkg-query", "--show", "--showformat", "${Version}", "nvidia-driver").strip()

    def assert_in_service(self, *names, driver):
        for name in names:
            node = self.node(name)
            self.assertEqual((node["state"], node["draining"], node["driver_version"]), ("UP", False, driver.split("-", maxsplit=1)[0]))
            self.assertEqual({gpu["detail"] for gpu in node["gpus"]}, {"AVAILABLE"})

    def test_1_first_run_of_new_machines(self):
        self.must_play("controller")
        self.must_play("driver", "-e", "gpu_platform_driver_serial=100%")
        output, _ = self.must_play("site", "-vvv")
        self.assert_in_service("n1", "n2", driver=FIRST)
        token = self.first.must("cat", "/var/lib/gpu-platform/join-token").strip()
        self.assertGreater(len(token), 20)
        self.assertNotIn(token, output)
        self.assertNotIn("PRIVATE KEY", output)
        for one in (self.first, self.second):
            self.assertEqual(one.must("stat", "-c", "%a", "/etc/gpu-platform/join-token").strip(), "600")
            self.assertNotIn("PRIVATE", one.must("cat", "/etc/gpu-platform/authority.pem"))

    def test_2_second_run_changes_nothing(self):
        for book in ("site", "driver"):
            self.must_change_nothing(book)
            self.must_change_nothing(book, "--check", "--diff")

    def test_3_a_job_runs_on_both_nodes(self):
        out = self.first.must("gpu-platform", "run", "--nodes", "2", "--gpus", "8", "--", "sh", "-c", "echo $GP_NODE_LIST")
        self.assertIn("n1", out)
        self.assertIn("n2", out)

    def unit(self, one, name, what="MainPID"):
        return one.must("systemctl", "show", "-p", what, "--value", name).strip()

    def test_4_settings(self):
        before = self.unit(self.first, "gpu-platform")
        type(self).drop_ins = {"fast": {"policy": {"min_run": "1m"}}}
        _, changed = self.must_play("controller")
        self.assertGreater(changed["n1"], 0)
        self.assertIn("min_run: 1m", self.first.must("gpu-platform", "config", "running"))
        self.assertEqual(self.unit(self.first, "gpu-platform"), before, "a reload is enough")

        type(self).settings = {**self.settings, "log": "json"}
        self.must_play("controller")
        self.assertNotEqual(self.unit(self.first, "gpu-platform"), before, "it needs a restart")
        self.assertRegex(self.first.must("gpu-platform", "config", "running"), "# log: json")

        files = self.first.must("sh", "-c", "cat /etc/gpu-platform/*.yaml /etc/gpu-platform/conf.d/*")
        type(self).drop_ins = {"wrong": {"policy": {"min_runs": "1m"}}}
        code, output, _ = self.play("controller")
        self.assertNotEqual(code, 0)
        self.assertIn("min_runs", output)
        self.assertEqual(self.first.must("sh", "-c", "cat /etc/gpu-platform/*.yaml /etc/gpu-platform/conf.d/*"), files)

        self.first.write("/etc/gpu-platform/conf.d/by-hand.yaml", "policy: {faults_max: 7}\n")
        type(self).drop_ins = {}
        self.must_play("controller")
        self.assertEqual(self.first.must("ls", "/etc/gpu-platform/conf.d").split(), ["by-hand.yaml"])
        self.assertNotIn("min_run: 1m", self.first.must("gpu-platform", "config", "running"))

        job = self.submit("--gpus", "1", "--", "sleep", "100000")
        self.await_state(job, "RUNNING")
        before = self.unit(self.second, "gpu-platform-agent")
        type(self).agent_settings = {**self.agent_settings, "keep_logs": "30d"}
        self.must_play("agents")
        self.assertNotEqual(self.unit(self.second, "gpu-platform-agent"), before)
        self.assertEqual((self.job(job)["state"], self.job(job)["attempt"]), ("RUNNING", 1))
        self.first.must("gpu-platform", "jobs", "kill", job)
        self.must_change_nothing("site")

    def test_5_an_upgrade_from_a_repository_interrupts_no_job(self):
        jobs = [self.submit("--gpus", "8", "--", "sleep", "100000") for _ in range(2)]
        for job in jobs:
            self.await_state(job, "RUNNING")
        pids = [self.unit(self.first, "gpu-platform"), self.unit(self.second, "gpu-platform-agent")]
        type(self).source = {"gpu_platform_repository": "deb [trusted=yes] file:/srv/newer ./", "gpu_platform_version": self.version + "+1"}
        self.must_play("site", "-e", "gpu_platform_serial=1")
        for one, name in ((self.first, "controller"), (self.first, "agent"), (self.second, "agent")):
            self.assertEqual(one.must("dpkg-query", "--show", "--showformat", "${Version}", f"gpu-platform-{name}"), self.version + "+1")
        after = [self.unit(self.first, "gpu-platform"), self.unit(self.second, "gpu-platform-agent")]
        self.assertFalse(set(pids) & set(after), "the new program runs")
        for job in jobs:
            self.assertEqual((self.job(job)["state"], self.job(job)["attempt"]), ("RUNNING", 1))
            self.first.must("gpu-platform", "jobs", "kill", job)
        self.must_change_nothing("site")

    def test_6_the_driver_is_upgraded_between_jobs(self):
        jobs = [self.submit("--gpus", "8", "--", "sh", "-c", "sleep 20; date +%s") for _ in range(2)]
        for job in jobs:
            self.await_state(job, "RUNNING")
        boots = [one.pid for one in (self.first, self.second)]
        type(self).driver = SECOND
        self.must_play("driver")
        self.assert_in_service("n1", "n2", driver=SECOND)
        self.assertFalse(set(boots) & {self.first.pid, self.second.pid}, "both have booted")
        ends = {}
        for job in jobs:
            self.assertEqual((self.job(job)["state"], self.job(job)["attempt"]), ("COMPLETED", 1))
            (place,) = self.job(job)["attempts"][-1]["ranks"]
            ends[place["node"]] = int(self.first.must("gpu-platform", "jobs", "logs", job))
        for one in (self.first, self.second):
            upgraded = int(one.must("stat", "-c", "%Y", "/var/lib/dpkg/info/nvidia-driver.list"))
            self.assertGreaterEqual(upgraded, ends[one.name], f"{one.name}: its driver changed under a job")
        self.must_change_nothing("driver")

    def test_7_a_failed_test_keeps_the_node_drained_and_ends_the_play(self):
        self.first.write("/etc/broken", "")
        type(self).driver = THIRD
        code, output, _ = self.play("driver")
        self.assertNotEqual(code, 0)
        self.assertIn("n1 stays drained: Require that all GPUs passed", output)
        self.assertTrue(self.node("n1")["draining"])
        self.assertIn("failed at", self.node("n1")["reason"])
        self.assertEqual(self.driver_of(self.second), SECOND)
        self.assertIn(SECOND, self.second.must("cat", "/etc/apt/preferences.d/gpu-platform-driver"))
        self.assert_in_service("n2", driver=SECOND)

    def test_8_the_next_run_completes_it_and_a_deadline_moves_jobs(self):
        job = self.submit("--gpus", "1", "--", "sleep", "100000")
        self.await_state(job, "RUNNING")  # on n2, as n1 is drained
        os.unlink(self.first.path("/etc/broken"))
        self.must_play("driver", "-e", "{gpu_platform_driver_drain_seconds: 5}")
        self.assert_in_service("n1", "n2", driver=THIRD)
        self.await_state(job, "RUNNING")
        self.assertEqual(self.job(job)["attempt"], 2, "it moved from n2 to n1 at the deadline")
        self.first.must("gpu-platform", "jobs", "kill", job)
        self.must_change_nothing("driver")

    def test_9_what_is_not_touched(self):
        before = self.driver
        type(self).driver = "999.1-1"
        code, output, _ = self.play("driver")
        self.assertNotEqual(code, 0)
        self.assertIn("Version '999.1-1' for 'nvidia-driver' was not found", output)
        self.assert_in_service("n1", "n2", driver=before)

        # Another version, here an older one; a node that an operator has drained stays as it is.
        self.first.must("gpu-platform", "drain", "--node", "n2", "--reason", "new cables")
        type(self).driver = SECOND
        output, changed = self.must_play("driver", "--check")
        self.assertIn("n1 would be brought to driver " + SECOND, output)
        self.assertEqual(changed, {"n1": 0, "n2": 0})
        output, _ = self.must_play("driver")
        self.assertIn("new cables", output)
        self.assert_in_service("n1", driver=SECOND)
        self.assertEqual(self.driver_of(self.second), before)
        self.assertEqual(self.node("n2")["reason"], "root: new cables")


if __name__ == "__main__":
    playbooks.main()
