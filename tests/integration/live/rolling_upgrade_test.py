#!/usr/bin/python3
"""Three controllers are upgraded one by one, as if the next release wrote a newer journal format."""

from controllers_test import SharedTest
from live_platform import eventually, main

CONFLICT = 4
NEXT = ("--newest-format", "22")


class RollingUpgrade(SharedTest):
    options = {"nodes": 2}

    def assert_replays(self):
        """There is no release that has this format: a program of this one says so."""
        with self.assertRaisesRegex(AssertionError, "has format 22, and this program reads"):
            self.cluster.replay()

    def listed(self):
        return self.cli.json("admin", "controllers", "list")

    def newest(self):
        return {one["name"]: int(one["newest_format"]) for one in self.listed()["controllers"]}

    def role(self, name):
        return {one["name"]: one["role"] for one in self.listed()["controllers"]}.get(name)

    def start_as(self, controller, *flags):
        if controller.runs():
            self.assertEqual(controller.stop(), 0)
        words = [word for word in controller.words if word not in NEXT]
        controller.words = words + list(flags)
        controller.start()
        self.cluster.await_standby(controller)

    def step_down(self):
        leader = self.cluster.controller
        self.cli("admin", "controllers", "step-down").ok()
        self.cluster.await_leader(other_than=leader)
        eventually(lambda: not leader.runs(), "its process ends")
        return leader

    def test_standbys_first_then_the_leader(self):
        gang = self.start_gang()
        standbys = [one for one in self.cluster.controllers if one is not self.first]
        for one in standbys:
            self.start_as(one, *NEXT)
        eventually(lambda: self.newest() == {"c1": 21, "c2": 22, "c3": 22}, "the entries say so", timeout=30)
        refused = self.cli("admin", "controllers", "raise-format", "--force")
        self.assertEqual(refused.code, CONFLICT)
        self.assertIn("c1", refused.err)
        before = self.step_down()
        self.assertEqual(int(self.listed()["format"]), 21, "the one that is away may come back as it was")
        job = self.cli.start("--gpus", "1", command=["true"])
        self.cli.wait(job)
        self.start_as(before, *NEXT)
        eventually(lambda: int(self.listed()["format"]) == 22, "the format is raised", timeout=60)
        # All of them read it: each may lead.
        self.cli.wait(self.cli.start("--gpus", "1", command=["true"]))
        self.step_down()
        self.assertEqual(int(self.listed()["format"]), 22)
        self.assert_undisturbed(gang)

    def test_one_that_cannot_read_on_is_unfit(self):
        gang = self.start_gang()
        second, third = (one for one in self.cluster.controllers if one is not self.first)
        self.assertEqual(third.stop(), 0)
        self.start_as(second, *NEXT)
        self.start_as(self.step_down(), *NEXT)
        self.assertEqual(self.cli("admin", "controllers", "raise-format").code, CONFLICT, "c3 may come back")
        eventually(lambda: self.role("c3") == "silent", "it is silent", timeout=60)
        self.cli("admin", "controllers", "raise-format", "--force").ok()
        self.assertEqual(int(self.listed()["format"]), 22)
        self.cli.wait(self.cli.start("--gpus", "1", command=["true"]))
        # It comes back with the program of before: it stays, and says why.
        self.start_as(third)
        eventually(lambda: self.role("c3") == "unfit", "it is unfit", timeout=30)
        self.assertTrue(third.runs())
        self.assertIn("unfit: this controller never takes the lead", third.text_of_run())
        self.assertIn("has format 22", self.cli("admin", "controllers", "list").ok().err)
        eventually(lambda: "gpu_platform_standbys 1\n" in self.cli("metrics").ok().out, "it does not count", timeout=30)
        # Nobody else could lead, and it does not.
        other = next(one for one in (self.first, second) if one is not self.cluster.controller)
        other.stop()
        eventually(lambda: self.role("c1") == "silent" or self.role("c2") == "silent", "it is silent", timeout=60)
        self.assertEqual(self.cli("admin", "controllers", "step-down").code, CONFLICT)
        # Upgraded, it is fit.
        self.start_as(third, *NEXT)
        eventually(lambda: self.role("c3") == "standby", "it is fit", timeout=30)
        self.assertIs(third, self.cluster.await_leader(other_than=self.step_down()))
        self.assert_undisturbed(gang)


if __name__ == "__main__":
    main()
