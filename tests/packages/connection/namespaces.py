"""How Ansible reaches a machine of machine.py: it enters the machine's namespaces."""

import os
import subprocess
import sys

from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.connection import ConnectionBase

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import entering  # pylint: disable=wrong-import-position

DOCUMENTATION = """
name: namespaces
short_description: enters the namespaces of a machine of the tests
description: [Runs commands on a machine that tests/packages/machine.py has started.]
options:
  pid_file:
    description: File with the number of the machine's first process.  It changes when the machine boots.
    required: true
    vars: [{name: machine_pid_file}]
"""


class Connection(ConnectionBase):
    transport = "namespaces"
    has_pipelining = True

    def _connect(self):
        return self

    def close(self):
        """There is nothing to close."""

    def reset(self):
        """Nor to open again: each command finds the first process that the machine has now."""

    def _pid(self):
        with open(self.get_option("pid_file"), encoding="utf-8") as file:
            pid = file.read()
        if not os.path.exists(f"/proc/{pid}/root/"):
            raise AnsibleConnectionFailure("the machine is not running")
        return pid

    def exec_command(self, cmd, in_data=None, sudoable=True):
        super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
        done = subprocess.run(entering(self._pid()) + ["/bin/sh", "-c", cmd], input=in_data or b"", capture_output=True, check=False)
        if done.returncode < 0:
            raise AnsibleConnectionFailure("the machine ended while the command ran")
        return done.returncode, done.stdout, done.stderr

    def _copy(self, source, target):
        with open(source, "rb") as read, open(target, "wb") as write:
            write.write(read.read())

    def put_file(self, in_path, out_path):
        self._copy(in_path, f"/proc/{self._pid()}/root{out_path}")

    def fetch_file(self, in_path, out_path):
        self._copy(f"/proc/{self._pid()}/root{in_path}", out_path)
