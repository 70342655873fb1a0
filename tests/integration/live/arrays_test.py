#!/usr/bin/python3
"""Arrays on a real controller: never more at once than they say, each element a job of its own."""

import json
import os

from live_platform import ClusterTest, eventually, main

# Leaves its marks in the shared directory: begins, waits for its word to go on, ends.
ELEMENT = """
import os, sys, time
here, index = sys.argv[1], os.environ["GP_ARRAY_INDEX"]
def note(what, text=""):
    with open(f"{here}/{what}-{index}.new", "w") as file:
        file.write(text)
    os.rename(f"{here}/{what}-{index}.new", f"{here}/{what}-{index}")
note("began", " ".join(os.environ[name] for name in ("GP_ARRAY_ID", "GP_ARRAY_COUNT", "GP_JOB_ID")))
while not os.path.exists(f"{here}/go-{index}"):
    time.sleep(0.01)
sys.exit(3 if index == "1" else 0)
"""


class Arrays(ClusterTest):
    def submit(self, *flags):
        here = self.cluster.shared
        return self.cli.start("--gpus", "1", *flags, command=["python3", "-c", ELEMENT, here])

    def marks(self, what):
        return sorted(int(name[len(what) + 1:]) for name in os.listdir(self.cluster.shared)
                      if name.startswith(what) and name[len(what) + 1:].isdigit())

    def let_go(self, *indexes):
        for index in indexes:
            open(os.path.join(self.cluster.shared, f"go-{index}"), "w").close()

    def elements(self, name):
        return json.loads(self.cli("jobs", "list", name, "-o", "json").ok().out)["jobs"]

    def details(self, name):
        return [job["detail"] for job in self.elements(name)]

    def test_no_more_at_once_than_it_says(self):
        array = self.submit("--array", "6%2")
        eventually(lambda: self.marks("began") == [0, 1], "the first two run")
        self.assertEqual([job["array_index"] for job in self.elements(array)], list(range(6)))
        self.assertEqual({job["array_id"] for job in self.elements(array)}, {array})
        why = self.cli("jobs", "explain", f"{array}[4]").ok().out
        self.assertRegex(why, rf"quota +array {array} has a limit of 2 running elements: 2 run")
        other = self.cli.start("--gpus", "1", command=["true"])
        self.assertEqual(self.cli.wait(other), 0)  # who is not of the array is not stopped by it
        for ended in range(6):
            self.assertLessEqual(len(self.marks("began")), ended + 2)
            self.let_go(ended)
            eventually(lambda: len(self.marks("began")) == min(ended + 3, 6), "the next one runs")
        self.assertEqual(self.cli.wait(array), 3)  # the worst of them
        self.assertEqual(self.details(array), ["COMPLETED", "FAILED"] + ["COMPLETED"] * 4)
        runs = [(job["started_at"], job["ended_at"]) for job in self.elements(array)]
        for begin, _ in runs:
            self.assertLessEqual(sum(first <= begin < last for first, last in runs), 2)
        for index, job in enumerate(self.elements(array)):
            with open(os.path.join(self.cluster.shared, f"began-{index}")) as mark:
                self.assertEqual(mark.read(), f"{array} 6 {job['id']}")

    def test_its_names_mean_elements(self):
        array = self.submit("--array", "5%3")
        eventually(lambda: self.marks("began") == [0, 1, 2], "three run")
        self.assertRegex(self.cli("jobs", "list").ok().out, rf"{array} .*3 running, 2 waiting; array {array} has a limit of 3 running elements: 3 run")
        told = self.cli("jobs", "describe", f"{array}[3]").ok().out
        self.assertIn(f"{array}[3]", told)
        self.assertIn("3 of 0 to 4", told)
        self.assertIn("3 running, 2 waiting", self.cli("jobs", "describe", array).ok().out)
        self.assertIn(f"array {array} has a limit of 3 running elements: 3 run", self.cli("jobs", "explain", array).ok().out)
        self.assertIn(f"name one of them, as {array}[0]", self.cli("jobs", "exec", array, "--", "true").err)
        self.assertIn("elements 0 to 4", self.cli("jobs", "describe", f"{array}[5]").err)
        self.cli("jobs", "hold", f"{array}[3]").ok()
        self.assertEqual(self.details(f"{array}[3-4]"), ["HELD", "QUEUED"])
        self.cli("jobs", "priority", f"{array}[4]", "100").ok()
        self.cli("jobs", "cancel", f"{array}[0-1]").ok()
        eventually(lambda: self.marks("began") == [0, 1, 2, 4], "the one that is not held takes its place")
        after = self.cli.start("--gpus", "1", "--after", f"{array}:ended", command=["true"])
        self.assertIn(f"waits for {array}[*] to end", self.cli.job(after)["reason"])
        self.cli("jobs", "release", f"{array}[*]").ok()
        eventually(lambda: self.marks("began") == [0, 1, 2, 3, 4], "so does the other one then")
        self.assertEqual(self.cli.job(after)["detail"], "BLOCKED")
        self.cli("jobs", "kill", array).ok()
        self.assertEqual(self.cli.wait(array), 130)
        self.assertEqual(self.details(array), ["CANCELLED"] * 5)
        self.assertEqual(self.cli.wait(after), 0)
        self.assertNotEqual(self.cli("jobs", "cancel", f"{array}[7]").code, 0)

    def test_a_request_is_one_array_and_misuse_is_refused(self):
        job = {"array": {"count": 3, "max_parallel": 1}, "resources": {"gpus": 1}, "run": ["sleep", "1000"]}
        first = self.cli.submit(job, "--request-id", "a1")
        self.assertEqual(self.cli.submit(job, "--request-id", "a1"), first)
        self.assertEqual(len(first), 1)
        self.assertEqual(len(self.cli.jobs()), 3)
        self.assertIn("--count", self.cli("jobs", "submit", "-", "--count", "2", input=json.dumps(job).encode()).err)
        self.assertIn("use --detach", self.cli("run", "--array", "3", "--", "true").err)
        self.assertIn("interactive", self.cli("run", "--pty", "--array", "3", "--", "true").err)
        self.assertIn("--array: must be from 1 to 10000", self.cli("run", "-d", "--array", "0", "--", "true").err)
        other = self.cli.as_user(1234)
        self.assertIn("belongs to", other("jobs", "cancel", first[0]).err)
        self.cluster.controller.kill()
        self.cluster.start_controller()
        self.assertEqual(self.cli.submit(job, "--request-id", "a1"), first)
        self.cli("jobs", "kill", *first).ok()


if __name__ == "__main__":
    main()
