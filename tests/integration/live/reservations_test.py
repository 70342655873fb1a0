#!/usr/bin/python3
"""Nodes set aside on a real controller: others stay out, whoever it is for comes in, and it ends by itself."""

import datetime

from live_platform import ClusterTest, eventually, main


class Reservations(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 2}

    def start(self, *flags):
        return self.cli.start("--gpus", "8", *flags, command=["sleep", "60"])

    def state(self, job):
        return self.cli.job(job)["detail"]

    def test_a_reservation_keeps_others_out_and_lets_its_own_in(self):
        self.cli("queues", "set", "teaching").ok()
        made = self.cli("reservations", "create", "course", "--count", "1", "--duration", "2h", "--queues", "teaching", "--note", "lab 3", "-o",
                        "json").json
        self.assertTrue(made["active"])
        [node] = made["nodes"]
        first, second = self.start(), self.start()
        eventually(lambda: self.state(first) == "RUNNING", "the open node is used")
        told = self.cli("jobs", "explain", second, "-o", "json").json
        self.assertEqual(self.state(second), "QUEUED")
        self.assertIn("reservation course", self.cli("jobs", "explain", self.start("--time-limit", "3h")).ok().out)
        limits = [change for change in told["changes"] if change["kind"] == "time-limit"]
        self.assertEqual(limits, [], "it has begun: no time limit helps")
        own = self.start("--queue", "teaching", "--reservation", "course", "--time-limit", "1h")
        eventually(lambda: self.state(own) == "RUNNING", "its own runs there")
        self.assertIn(node, str(self.cli.job(own)))
        listed = self.cli("reservations", "list", "-o", "json").json["reservations"]
        self.assertEqual((listed[0]["name"], int(listed[0]["jobs_running"])), ("course", 1))
        self.assertIn("lab 3", self.cli("reservations", "list").ok().out)
        self.cli("jobs", "cancel", own).ok()
        self.cli("reservations", "delete", "course").ok()
        eventually(lambda: self.state(second) == "RUNNING", "the node is everybody's again")

    def test_who_leaves_in_time_is_let_in_and_it_begins_and_ends_by_itself(self):
        self.cli("reservations", "create", "soon", "--count", "2", "--start", "+30s", "--end", "+32s", "--users", "root").ok()
        long = self.start("--time-limit", "60s")
        self.assertEqual(self.state(long), "QUEUED")
        told = self.cli("jobs", "explain", long).ok().out
        self.assertIn("reservation soon", told)
        short = self.start("--time-limit", "3s", "--grace", "1s")
        eventually(lambda: self.state(short) == "RUNNING", "it has left before")
        self.assertEqual(self.state(long), "QUEUED")
        eventually(lambda: not self.cli("reservations", "list", "-o", "json").json.get("reservations"), "it ends", timeout=120)
        eventually(lambda: self.state(long) == "RUNNING", "then the nodes are everybody's")

    def test_refusals_name_the_place_and_the_fix(self):
        stranger = self.cli.as_user(12_345)
        for flags, said in (
            (("--count", "3", "--duration", "1h"), "only 2 of 3 nodes"),
            (("--count", "1"), "either --duration or --end"),
            (("--count", "1", "--duration", "1h", "--start", "tomorrow"), "--start: \"tomorrow\" is no point in time"),
            (("--duration", "1h"), "name them, or say how many"),
            (("--nodes", "nowhere", "--duration", "1h"), "nowhere"),
        ):
            refused = self.cli("reservations", "create", "x", *flags)
            self.assertNotEqual(refused.code, 0)
            self.assertIn(said, refused.err)
        self.assertIn("role operator", stranger("reservations", "create", "x", "--count", "1", "--duration", "1h").err)
        self.assertIn("no reservation", self.cli("run", "--reservation", "x", "--time-limit", "1m", "--", "true").err)


if __name__ == "__main__":
    main()
