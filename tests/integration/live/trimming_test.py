#!/usr/bin/python3
"""The log that controllers share is trimmed: none of them misses anything, and one that comes later needs a copy."""

import json
import os
import shutil

from live_platform import ClusterTest, case, etcd, eventually, main
from live_platform.controllers import Controllers

LARGE = 90  # jobs of more than 800,000 bytes: together more than the 64 MiB that stay


class Trimming(ClusterTest):
    def setUp(self):
        if etcd.missing():
            if os.environ.get("CI"):
                self.fail(etcd.missing())
            self.skipTest(etcd.missing())
        # Without nodes the jobs stay in their queue.
        self.cluster = Controllers(case.binary, nodes=0)
        self.addCleanup(self.cluster.close)
        self.cluster.start()
        self.first = self.cluster.controller

    def submit_large(self):
        spec = {"run": ["true", *["x" * 120_000] * 7], "resources": {"gpus": 0}}
        self.cluster.cli("-q", "jobs", "submit", "-", input=json.dumps(spec).encode()).ok()

    def chunks(self):
        return self.cluster.etcd.keys("/gpu-platform/default/log/")

    def assert_refused(self, controller):
        controller.start()
        eventually(lambda: not controller.runs(), "it gives up")
        said = controller.text_of_run()
        first = int(self.chunks()[0].rsplit("/", 1)[1], 16)
        self.assertIn(f"the shared log begins with record {first}, but this controller's journal ends with record 0", said)
        self.assertIn("gpu-platform admin backup", said)

    def test_controllers_go_on_with_a_trimmed_log(self):
        for _ in range(LARGE):
            self.submit_large()
        before = self.chunks()
        eventually(lambda: self.chunks()[0] != before[0], lambda: f"the log is trimmed\n{self.cluster.logs()}", 90)
        left = eventually(lambda: len(self.chunks()) < LARGE and self.chunks(), "what every controller has is gone")
        self.assertEqual(left[-1], before[-1], "its end stays")

        # The standbys go on, and one of them leads.
        second = next(one for one in self.cluster.controllers if one is not self.first)
        second.kill()
        self.submit_large()
        second.start()
        self.cluster.await_standby(second)
        self.first.kill()
        self.cluster.await_leader(other_than=self.first)
        self.submit_large()
        self.assertEqual(len(self.cluster.cli.jobs()), LARGE + 2)
        # The one that has created the log is a standby now.
        self.first.start()
        self.cluster.await_standby(self.first)

        # One that has nothing needs a copy.
        fourth = self.cluster.another(4)
        state, _ = self.cluster.places[fourth]
        os.makedirs(state, mode=0o711)
        for name in ("join-token", "authority.pem"):
            shutil.copy(f"{self.cluster.state}/{name}", f"{state}/{name}")
        self.assert_refused(fourth)
        backup = os.path.join(self.cluster.directory, "backup")
        self.cluster.cli("admin", "backup", backup).ok()
        self.cluster.cli("admin", "controllers", "join", backup, "--state", state, "--replace").ok()
        fourth.start()
        self.cluster.controllers.append(fourth)
        self.cluster.await_standby(fourth)


if __name__ == "__main__":
    main()
