"""What an XID means, and the policy for faults: without a controller."""
import json
import pathlib
import tempfile
import unittest

import cluster


class Xid(unittest.TestCase):
    def test_explains_one_in_plain_words(self):
        answer = cluster.run("xid", "explain", "79")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        for words in ("XID 79", "ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS", "no longer answers on PCIe", "RESTART_BM", "A100, H100, B100, GB200",
                      "announces it too", "all jobs on the GPU are ended and start again free of charge", "it needs a reboot"):
            self.assertIn(words, answer.stdout)

    def test_explains_one_as_a_document(self):
        document = json.loads(cluster.run("xid", "explain", "48", "-o", "json").stdout)
        self.assertEqual(document["xid"], 48)
        self.assertTrue(document["known"])
        self.assertTrue(document["announced_by_154"])
        self.assertEqual(document["rule"], {"job": "all", "gpu": "reset"})
        self.assertEqual(document["products"], ["A100", "H100", "B100", "GB200"])
        self.assertNotIn("nvidia_action", json.loads(cluster.run("xid", "explain", "167", "-o", "json").stdout))

    def test_says_what_nobody_knows(self):
        answer = cluster.run("xid", "explain", "500")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("is not in the catalogue", answer.stdout)
        self.assertIn("the second time within a day", answer.stdout)
        self.assertFalse(json.loads(cluster.run("xid", "explain", "500", "--json").stdout)["known"])

    def test_refuses_what_is_no_xid(self):
        for word in ("0", "1024", "-3", "x", "", "4 8", "99999999999999999999"):
            answer = cluster.run("xid", "explain", "--", word)
            self.assertEqual(answer.returncode, 2, word)
            self.assertEqual(answer.stdout, "")
            self.assertIn("error: ", answer.stderr)

    def test_lists_all(self):
        answer = cluster.run("xid", "list", "-o", "csv")
        self.assertEqual(len(answer.stdout.splitlines()), 177)
        document = json.loads(cluster.run("xid", "list", "-o", "json").stdout)
        self.assertEqual([one["xid"] for one in document["xids"]], list(range(1, 177)))
        self.assertIn("RESET_GPU", cluster.run("xid", "list").stdout)


class Policy(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name) / "policy.yaml"

    def policy(self, text):
        self.path.write_text(text, encoding="utf-8")
        return str(self.path)

    def test_plays_errors_one_after_the_other(self):
        def verdicts(*words):
            answer = cluster.run("faults", "policy", "simulate", *words, "-o", "json")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            return [(one["xid"], one["job"], one["gpu"]) for one in json.loads(answer.stdout)["verdicts"]]

        self.assertEqual(verdicts("79"), [(79, "all", "reboot")])
        self.assertEqual(verdicts("500", "500@1h"), [(500, "forgive", "watch"), (500, "forgive", "operator")])
        self.assertEqual(verdicts("500", "500@25h"), [(500, "forgive", "watch")] * 2)
        self.assertNotEqual(verdicts("94", "48@1s")[1], verdicts("94", "48@10m")[1])  # it was contained
        milder = self.policy("xids:\n  79: {job: note, gpu: watch}\n")
        self.assertEqual(verdicts("--policy", milder, "79"), [(79, "note", "watch")])
        self.assertIn("XID 79", cluster.run("faults", "policy", "simulate", "79").stdout)

    def test_refuses_errors_that_cannot_be_played(self):
        for words in (["x"], ["0"], ["1024"], ["48@"], ["48@soon"], ["48@10s", "63@5s"], []):
            answer = cluster.run("faults", "policy", "simulate", *words)
            self.assertEqual(answer.returncode, 2, words)
            self.assertIn("error: ", answer.stderr)

    def test_shows_what_is_built_in(self):
        document = json.loads(cluster.run("faults", "policy", "show", "-o", "json").stdout)
        self.assertEqual(document["numbers"]["error_window"], "1d")
        self.assertEqual(document["numbers"]["suspect_users"], "3")
        self.assertEqual(len(document["xids"]), 176)
        self.assertFalse(any(one["changed"] for one in document["xids"]))

    def test_shows_what_a_file_changes(self):
        path = self.policy("suspect_users: 7\nxids:\n  109: {job: note, gpu: count}\n  1000: {gpu: reset}\n")
        document = json.loads(cluster.run("faults", "policy", "show", "--policy", path, "-o", "json").stdout)
        self.assertEqual(document["numbers"]["suspect_users"], "7")
        self.assertEqual([one for one in document["xids"] if one["changed"]],
                         [{"xid": 109, "job": "note", "gpu": "count", "changed": True},
                          {"xid": 1000, "job": "forgive", "gpu": "reset", "changed": True}])
        table = cluster.run("faults", "policy", "show", "--policy", path).stdout
        self.assertRegex(table, r"suspect_users +7 +3\n")
        self.assertRegex(table, r"109 +note +count +all/reset ")

    def test_checks_a_file(self):
        answer = cluster.run("faults", "policy", "check", "--policy", self.policy("xids:\n  109: {job: note}\n  13: {gpu: reset}\n"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("sound", answer.stdout)
        self.assertIn("XID 109: note/reset is milder than all/reset", answer.stderr)
        self.assertNotIn("XID 13", answer.stderr)
        milder = json.loads(cluster.run("faults", "policy", "check", "--policy", str(self.path), "-o", "json").stdout)["milder"]
        self.assertEqual(milder, [{"xid": 109, "built_in": "all/reset", "now": "note/reset"}])

    def test_complains_of_every_mistake_with_its_place(self):
        answer = cluster.run("faults", "policy", "check", "--policy", self.policy("suspect_user: 7\nxids:\n  0: {job: note}\n  109: {job: ignore}\n"))
        self.assertEqual(answer.returncode, 2)
        for place in (":1:1: ", ":3:3: ", ":4:14: "):
            self.assertIn(str(self.path) + place, answer.stderr)
        self.assertEqual(cluster.run("faults", "policy", "check", "--policy", "/nowhere/p.yaml").returncode, 3)
        self.assertEqual(cluster.run("faults", "policy", "check").returncode, 2)


if __name__ == "__main__":
    unittest.main()
