#!/usr/bin/python3
"""Ansible brings a site from one controller to three with an etcd of its own, while a job runs: settings, upgrades, one that is gone.

ansible_controllers_test.py --packages DIRECTORY [--cache DIRECTORY]
Needs root, ansible-core, mmdebstrap and dpkg-dev.  Three machines boot for real; their GPUs are simulated.
"""

import json
import os
import subprocess
import time

import machine
import playbooks
import repack
from playbooks import OURS, places

ADDRESSES = {"n1": "10.0.0.1", "n2": "10.0.0.2", "n3": "10.0.0.3"}
NAMES = list(ADDRESSES)


def boot(name, archive):
    """A machine that has Debian's etcd and a newer version of this project to install, and no network but that of the others."""
    one = machine.Machine(name, archive)
    one.write("/etc/hosts", "127.0.0.1 localhost\n" + "".join(f"{address} {other}\n" for other, address in ADDRESSES.items()))
    one.write("/etc/apt/sources.list", "deb [trusted=yes] file:/srv/debian ./\n")
    for directory in ("debian", "newer"):
        os.makedirs(one.path(f"/srv/{directory}"))
    subprocess.run(["apt-get", "download", "-q", "etcd-server"], cwd=one.path("/srv/debian"), check=True, stdout=subprocess.DEVNULL)
    repack.index(one.path("/srv/debian"))
    for package in OURS:
        repack.newer(places["packages"], package, one.path(f"/srv/newer/{package}.deb"))
    repack.index(one.path("/srv/newer"))
    return one


class ThreeControllers(playbooks.Playbooks):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        archive = machine.base_archive(places["cache"], more=("python3", "python3-apt", "openssl"))
        cls.machines = []
        for name in NAMES:
            cls.machines.append(boot(name, archive))
            cls.addClassCleanup(cls.machines[-1].stop)
        machine.switch(cls.machines, list(ADDRESSES.values()))
        cls.by_name = dict(zip(NAMES, cls.machines, strict=True))
        cls.version = playbooks.version_of_packages()
        cls.groups = {"gpu_platform_controller": ["n1"], "gpu_platform_nodes": NAMES}
        cls.settings = {"listen": {"grpc": "{{ ansible_host }}:7070"}, "agent": {"enabled": False}, "log": "text"}
        cls.etcd = {}
        cls.source = {"gpu_platform_deb_directory": places["packages"]}
        cls.job = ""

    def inventory(self):
        document = playbooks.inventory_of(self.machines, {
            **self.source, **self.etcd, "gpu_platform_controller_settings": self.settings,
            "gpu_platform_agent_settings": {"name": "{{ inventory_hostname }}", "simulate": "dgx-h100", "node_index": "{{ machine_index }}"},
        }, self.groups)
        for name, variables in document["all"]["hosts"].items():
            variables["ansible_host"] = ADDRESSES[name]
        return document

    def leader(self):
        """The machine whose controller leads, within five seconds."""
        end = time.monotonic() + 5
        while time.monotonic() < end:
            for one in self.machines:
                if one.run("gpu-platform", "status").returncode == 0:
                    return one
            time.sleep(0.2)
        raise AssertionError("nobody leads")

    def controllers(self):
        """{name: role}"""
        reply = json.loads(self.leader().must("gpu-platform", "admin", "controllers", "list", "-o", "json"))
        return {one["name"]: one["role"] for one in reply["controllers"]}

    def assert_the_job_runs(self):
        job = json.loads(self.leader().must("gpu-platform", "jobs", "describe", self.job, "-o", "json"))
        if (job["state"], job["attempt"]) != ("RUNNING", 1):
            self.fail(f"{json.dumps(job['attempts'], indent=1)}\n{self.logs()}")

    def logs(self):
        words = ("journalctl", "--no-pager", "-o", "short-precise", "-n", "150", "-u", "gpu-platform", "-u", "gpu-platform-agent", "-u", "etcd")
        return "\n".join(f"--- {one.name}\n{one.run(*words).stdout}" for one in self.machines)

    def assert_all_controllers(self):
        self.assertEqual(sorted(self.controllers().items()), sorted({name: "leader" if name == self.leader().name else "standby" for name in NAMES}.items()))

    def pids(self, unit):
        return {one.name: one.must("systemctl", "show", "-p", "MainPID", "--value", unit).strip() for one in self.machines}

    def test_1_one_controller_with_a_job(self):
        self.must_play("site")
        type(self).job = self.by_name["n1"].must("gpu-platform", "run", "-d", "--nodes", "2", "--gpus", "8", "--", "sleep", "100000").split()[-1]
        self.by_name["n1"].until(60, "it runs", "sh", "-c", f"gpu-platform jobs list --state RUNNING -o name | grep -qx {self.job}")

    def test_2_two_more_controllers(self):
        type(self).groups = {**self.groups, "gpu_platform_controller": NAMES}
        code, output, _ = self.play("controller")
        self.assertNotEqual(code, 0)
        self.assertIn("gpu_platform_etcd", output)
        self.assert_the_job_runs()

        type(self).groups = {**self.groups, "gpu_platform_etcd": NAMES}
        self.must_play("etcd")
        output, _ = self.must_play("site", "-vvv")
        self.assertNotIn("PRIVATE KEY", output)
        self.assert_all_controllers()
        self.assert_the_job_runs()
        authorities = {one.must("cat", "/var/lib/gpu-platform/authority.pem") for one in self.machines}
        self.assertEqual(len(authorities), 1)
        for one in self.machines:
            self.assertEqual(one.must("sh", "-c", "ls -d /var/tmp/gpu-platform* /var/lib/gpu-platform/.copy* 2> /dev/null || true"), "")
            self.assertEqual(one.must("stat", "-c", "%a", "/etc/gpu-platform/etcd/controller.key").strip(), "600")
            agent = one.must("cat", "/etc/gpu-platform/agent.yaml")
            for address in ADDRESSES.values():
                self.assertIn(f"{address}:7070", agent)

    def test_3_a_second_run_changes_nothing(self):
        for book in ("etcd", "site"):
            self.must_change_nothing(book)
        self.must_change_nothing("site", "--check", "--diff")

    def test_4_only_who_has_a_certificate_reaches_the_store(self):
        one = self.by_name["n2"]
        url = "https://10.0.0.1:2379/version"
        read = "import ssl, sys, urllib.request as u; c = ssl.create_default_context(cafile='/etc/gpu-platform/etcd/ca.pem')\n"
        own = "c.load_cert_chain('/etc/gpu-platform/etcd/controller.pem', '/etc/gpu-platform/etcd/controller.key')\n"
        ask = f"print(u.urlopen('{url}', context=c).read())\n"
        self.assertIn("etcdserver", one.must("python3", "-c", read + own + ask))
        self.assertNotEqual(one.run("python3", "-c", read + ask).returncode, 0)

    def test_5_the_leader_goes_and_comes_back(self):
        before = self.leader()
        before.must("systemctl", "stop", "gpu-platform")
        self.assertNotEqual(self.leader().name, before.name)
        self.assert_the_job_runs()
        self.must_play("controller")  # it starts the service again
        self.assert_all_controllers()
        self.assert_the_job_runs()

    def test_6_a_machine_that_was_lost_comes_back_empty(self):
        """The first of the inventory: it must follow the others, and not begin a cluster of its own."""
        lost = self.by_name["n1"]
        lost.must("systemctl", "stop", "gpu-platform")
        lost.must("sh", "-c", "find /var/lib/gpu-platform -mindepth 1 -maxdepth 1 ! -name agent -exec rm -rf {} +")  # the node's jobs run on
        self.must_play("controller", "--limit", "n1")
        self.assert_all_controllers()
        self.assert_the_job_runs()
        self.assertEqual(lost.must("cat", "/var/lib/gpu-platform/authority.pem"), self.by_name["n2"].must("cat", "/var/lib/gpu-platform/authority.pem"))

    def test_7_settings_reach_all_and_the_leader_last(self):
        before, pids = self.leader().name, self.pids("gpu-platform")
        type(self).settings = {**self.settings, "log": "json"}
        self.must_play("controller")
        starts = {one.name: int(one.must("systemctl", "show", "-p", "ExecMainStartTimestampMonotonic", "--value", "gpu-platform")) for one in self.machines}
        self.assertEqual(max(starts, key=starts.get), before)
        after = self.pids("gpu-platform")
        for name in NAMES:
            self.assertNotEqual(pids[name], after[name], f"{name} has not started again")
        self.assert_all_controllers()
        self.assert_the_job_runs()
        self.assertIn("# log: json", self.leader().must("gpu-platform", "config", "running"))

    def test_8_the_store_restarts_one_after_the_other(self):
        pids = self.pids("etcd")
        type(self).etcd = {"gpu_platform_etcd_quota": 4294967296}
        self.must_play("etcd")
        after = self.pids("etcd")
        for name in NAMES:
            self.assertNotEqual(pids[name], after[name])
        self.must_play("controller")  # sharing.quota follows
        self.assertIn("quota: 4294967296", self.leader().must("gpu-platform", "config", "running"))
        self.assert_all_controllers()
        self.assert_the_job_runs()

    def test_9_an_upgrade_ends_no_job(self):
        type(self).source = {"gpu_platform_repository": "deb [trusted=yes] file:/srv/newer ./", "gpu_platform_version": self.version + "+1"}
        self.must_play("site", "-e", "gpu_platform_serial=1")
        for one in self.machines:
            for package in ("controller", "agent"):
                self.assertEqual(one.must("dpkg-query", "--show", "--showformat", "${Version}", f"gpu-platform-{package}"), self.version + "+1")
        self.assert_all_controllers()
        self.assert_the_job_runs()
        self.must_change_nothing("site")


if __name__ == "__main__":
    playbooks.main()
