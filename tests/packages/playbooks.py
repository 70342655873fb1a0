"""Runs the Ansible playbooks of this project on machines in namespaces."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ROLES = os.path.join(ROOT, "deploy/ansible")
OURS = ("gpu-platform", "gpu-platform-controller", "gpu-platform-agent", "gpu-platform-simulator")
# Where tests find packages, and keep roots.
places = {"packages": "", "cache": "/var/cache/gpu-platform-test"}


def version_of_packages():
    (package,) = (name for name in os.listdir(places["packages"]) if name.startswith("gpu-platform_"))
    shown = subprocess.run(["dpkg-deb", "-f", f"{places['packages']}/{package}", "Version"], check=True, capture_output=True, text=True)
    return shown.stdout.strip()


def inventory_of(machines, variables, groups):
    """The machines, variables of all of them, and the names of the machines in each group."""
    return {"all": {
        "hosts": {one.name: {"machine_pid_file": one.pid_file, "machine_index": index} for index, one in enumerate(machines)},
        "vars": {"ansible_connection": "namespaces", "ansible_become": False, "ansible_python_interpreter": "/usr/bin/python3",
                 "gpu_platform_more_packages": ["gpu-platform-simulator"], **variables},
        "children": {group: {"hosts": dict.fromkeys(names)} for group, names in groups.items()}}}


class Playbooks(unittest.TestCase):
    """A test of playbooks; a subclass has an `inventory`."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="gp-ansible-", dir="/var/tmp")
        cls.addClassCleanup(shutil.rmtree, cls.directory)

    def inventory(self):
        raise NotImplementedError

    def play(self, book, *flags):
        """The exit code, the output and {host: changed}."""
        path = os.path.join(self.directory, "inventory.yml")
        with open(path, "w", encoding="utf-8") as file:
            yaml.safe_dump(self.inventory(), file)
        begin = time.monotonic()
        done = subprocess.run(["ansible-playbook", "-i", path, f"{ROLES}/{book}.yml", *flags], capture_output=True, text=True, check=False, env={
            "PATH": os.environ["PATH"], "HOME": self.directory, "LANG": "C.UTF-8", "ANSIBLE_CONFIG": f"{ROLES}/ansible.cfg",
            "ANSIBLE_CONNECTION_PLUGINS": f"{HERE}/connection", "ANSIBLE_NOCOLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"})
        changed = {host: int(count) for host, count in re.findall(r"^(\S+) +: ok=\d+ +changed=(\d+)", done.stdout, re.M)}
        print(f"{book} {' '.join(flags)}: {time.monotonic() - begin:.0f} s, changed {changed}", flush=True)
        return done.returncode, done.stdout + done.stderr, changed

    def must_play(self, book, *flags):
        code, output, changed = self.play(book, *flags)
        self.assertEqual(code, 0, output)
        return output, changed

    def must_change_nothing(self, book, *flags):
        output, changed = self.must_play(book, *flags)
        self.assertEqual(set(changed.values()), {0}, output)


def main():
    arguments = sys.argv[1:]
    while arguments[:1] and arguments[0][2:] in places:
        places[arguments[0][2:]] = os.path.abspath(arguments[1])
        arguments = arguments[2:]
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2, failfast=True)
