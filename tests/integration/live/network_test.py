#!/usr/bin/python3
"""Jobs without network, by their own wish or by their queue's rule."""

import os

from live_platform import ClusterTest, eventually, main

INTERFACES = ["ls", "/proc/sys/net/ipv4/conf"]


class Network(ClusterTest):
    options = {"nodes": 2}

    def interfaces(self, *flags):
        return self.cli("-q", "run", *flags, "--", *INTERFACES).ok().out.split()

    def test_a_job_that_wants_none_has_only_itself(self):
        self.assertEqual(self.interfaces("--network", "none"), ["all", "default", "lo"])
        self.assertIn("Features    data, exec-attach, graphics, image-care, image-layers, image-pull, images, launchers, network-none, port-leases, squashfs, stage-only\n", self.cli("nodes", "describe", self.cluster.node_names()[0]).ok().out)

    def test_exec_is_in_it_too(self):
        job = self.cli.start("--network", "none", "--gpus", "1", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "the job runs")
        self.assertEqual(self.cli("jobs", "exec", job, "--", *INTERFACES).ok().out.split(), ["all", "default", "lo"])

    def test_a_submit_again_is_the_same_job(self):
        self.cli("queues", "set", "again", "--network", "none").ok()
        first, again = (self.cli.submit({"queue": "again", "run": "true"}, "--request-id", "r-1") for _ in range(2))
        self.assertEqual(first, again)

    def test_a_queue_gives_its_jobs_none(self):
        self.cli("queues", "set", "closed", "--network", "none").ok()
        self.cli("queues", "set", "closed/sweeps").ok()
        job, = self.cli.submit({"queue": "closed/sweeps", "run": " ".join(INTERFACES)})
        self.assertEqual(self.cli.wait(job), 0)
        self.assertEqual(self.cli("jobs", "logs", job).ok().out.split(), ["all", "default", "lo"])
        told = self.cli("jobs", "describe", job).ok().out
        self.assertIn("Network     none\n", told)
        self.assertIn("without network, by queue closed", told)
        refused = self.cli("run", "--queue", "closed/sweeps", "--nodes", "2", "--", "true")
        self.assertEqual(refused.code, 2)
        self.assertIn("jobs of queue closed have no network", refused.err)
        self.assertEqual(sorted(self.interfaces()), sorted(os.listdir(INTERFACES[1])), "elsewhere it is the host's")


if __name__ == "__main__":
    main()
