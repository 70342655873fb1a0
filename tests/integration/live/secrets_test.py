#!/usr/bin/python3
"""Jobs find secrets in their environment, and nobody finds them anywhere else."""

import os

from live_platform import ClusterTest, eventually, main

WORD = "s3cr3t-w0rd-of-ana"
USER, OTHER = 12_345, 12_346


class Secrets(ClusterTest):
    options = {"machine": "dgx-h100"}

    def setUp(self):
        super().setUp()
        self.ana, self.ben = self.cli.as_user(USER), self.cli.as_user(OTHER)

    def read_all(self):
        """Every byte that was written anywhere, but for the secrets' own files."""
        for place, _, names in os.walk(self.cluster.directory):
            if place.startswith(os.path.join(self.cluster.state, "secrets")):
                continue
            for name in names:
                path = os.path.join(place, name)
                if os.path.isfile(path) and not os.path.islink(path):
                    with open(path, "rb") as file:
                        yield path, file.read()

    def command_lines(self):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    yield file.read()
            except OSError:
                pass

    def finish(self, cli, *flags, script):
        job = cli.start(*flags, command=["sh", "-c", script])
        cli.wait(job)
        return job

    def test_a_job_has_it_and_nothing_else(self):
        self.ana("secrets", "set", "KEY", input=(WORD + "\n").encode()).ok()
        listed = self.ana("secrets", "list").ok()
        self.assertIn("KEY", listed.out)
        self.assertNotIn(WORD, listed.out + listed.err)
        script = 'printf %s "$KEY" | sha256sum; sleep 1'
        job = self.ana.start("--secret", "KEY", command=["sh", "-c", script])
        eventually(lambda: self.ana.job(job)["detail"] == "RUNNING", "it runs")
        self.assertFalse(any(WORD.encode() in line for line in self.command_lines()))
        self.ana.wait(job)
        import hashlib
        self.assertEqual(self.ana("jobs", "logs", job).ok().out.split()[0], hashlib.sha256(WORD.encode()).hexdigest())
        for path, data in self.read_all():
            self.assertNotIn(WORD.encode(), data, path)
        described = self.cli("jobs", "describe", job, "-o", "json").ok().out
        self.assertIn('"KEY"', described)
        self.assertNotIn(WORD, described)
        self.assertRegex(self.ana("jobs", "describe", job).ok().out, "Secrets +KEY\n")
        self.assertNotIn('"KEY"', self.ben("jobs", "describe", job, "-o", "json").ok().out)  # not Ben's job
        audit = self.cli("audit", "list", "-o", "json").ok().out
        self.assertIn("SetSecret", audit)
        self.assertNotIn(WORD, audit)
        self.assertNotIn(WORD, self.cluster.logs())

    def test_whose_it_is(self):
        self.cli("queues", "set", "research").ok()
        self.cli("queues", "set", "research/nlp").ok()
        self.cli("secrets", "set", "KEY", "--queue", "research", input=b"of-research").ok()
        show = 'printf %s "$KEY"'
        job = self.finish(self.ben, "--queue", "research/nlp", "--secret", "KEY", script=show)
        self.assertEqual(self.ben("jobs", "logs", job).ok().out, "of-research")
        self.ana("secrets", "set", "KEY", input=b"of-ana").ok()
        job = self.finish(self.ana, "--queue", "research/nlp", "--secret", "KEY", script=show)
        self.assertEqual(self.ana("jobs", "logs", job).ok().out, "of-ana", "one's own comes first")
        self.assertEqual([(one["name"], one["queue"], one["user"]) for one in self.ben.json("secrets", "list")["secrets"]], [("KEY", "research", "")])
        for refused, said in (
            (self.ben("run", "--secret", "KEY", "--", "true"), "there is no secret \"KEY\" of "),
            (self.ben("secrets", "set", "KEY", "--queue", "research", input=b"x"), "lacks the role admin in research"),
            (self.ben("secrets", "delete", "KEY"), "there is no secret KEY of user "),
            (self.ana("secrets", "set", "KEY", input=b"\xff\xfe"), "no UTF-8 text: encode it"),
            (self.ana("secrets", "set", "NOT-A-NAME", input=b"x"), "is not a variable name"),
            (self.ana("secrets", "set", "KEY", input=b""), "nothing was typed"),
            (self.ana("secrets", "set", "KEY", input=b"a\0b"), "zero byte"),
            (self.ana("secrets", "set", "KEY", input=b"x" * (64 << 10) + b"y"), "at most 65536 bytes"),
            (self.cli("secrets", "set", "KEY", "--queue", "nowhere", input=b"x"), "there is no queue nowhere"),
        ):
            self.assertNotEqual(refused.code, 0, refused)
            self.assertIn(said, refused.err)

    def test_they_end_with_their_queue_and_a_token_of_a_queue_has_no_others(self):
        self.cli("queues", "set", "research").ok()
        self.cli("secrets", "set", "KEY", "--queue", "research", input=b"of-research").ok()
        self.ana("secrets", "set", "OWN", input=b"of-ana").ok()
        self.ana("secrets", "set", "KEY", input=b"of-ana").ok()
        scoped = self.ana.by_token(self.ana.json("tokens", "create", "ci", "--queue", "research")["secret"])
        self.assertEqual([one["user"] for one in scoped.json("secrets", "list")["secrets"]], [""])
        refused = scoped("run", "--queue", "research", "--secret", "OWN", "--", "true")
        self.assertIn("of queue research, and this token has no others", refused.err)
        job = scoped.start("--queue", "research", "--secret", "KEY", command=["sh", "-c", 'printf %s "$KEY"'])
        self.cli.wait(job)
        self.assertEqual(self.cli("jobs", "logs", job).ok().out, "of-research", "though its user has one of that name")
        self.cli("queues", "delete", "research").ok()
        self.cli("queues", "set", "research").ok()
        self.assertEqual(self.cli.json("secrets", "list").get("secrets", []), [])
        self.assertIn("DeleteSecret", self.cli("audit", "list", "-o", "json").ok().out)

    def test_a_job_has_no_more_than_a_start_can_carry(self):
        flags = []
        for number in range(3):
            self.ana("secrets", "set", f"S{number}", input=b"x" * 30_000).ok()
            flags += ["--secret", f"S{number}"]
        refused = self.ana("run", *flags, "--", "true")
        self.assertIn("at most 65536 bytes together, not 90000", refused.err)
        two = self.ana.start(*flags[:4], command=["sh", "-c", 'echo ${#S0} ${#S1}'])
        self.ana.wait(two)
        self.assertEqual(self.ana("jobs", "logs", two).ok().out, "30000 30000\n")
        # They grow while it waits: the job says so, and its node goes on.
        held = self.ana.start("--gpus", "8", command=["sleep", "2"])
        waits = self.ana.start("--gpus", "8", *flags[:4], command=["true"])
        self.ana("secrets", "set", "S1", input=b"x" * 60_000).ok()
        self.ana.wait(held, waits)
        self.assertIn("too large together", self.ana.job(waits)["reason"])

    def test_what_was_deleted_is_missed_and_all_lasts(self):
        self.ana("secrets", "set", "KEY", input=b"first").ok()
        held = self.ana.start("--secret", "KEY", "--gpus", "8", command=["sh", "-c", 'sleep 2; printf %s "$KEY"'])
        waiting = self.ana.start("--secret", "KEY", "--gpus", "8", command=["true"])
        self.cluster.controller.kill()
        self.cluster.start_controller()
        self.cluster.await_gpus()
        self.assertEqual([one["name"] for one in self.ana.json("secrets", "list")["secrets"]], ["KEY"])
        self.ana("secrets", "delete", "KEY").ok()
        self.ana.wait(held)
        self.ana.wait(waiting)
        ended = self.ana.job(waiting)
        self.assertEqual(ended["attempts"][-1]["end_class"], "could-not-start")
        self.assertIn("there is no secret KEY any more", ended["reason"])
        self.assertEqual(self.ana("jobs", "logs", held).ok().out, "first", "it had it already")


if __name__ == "__main__":
    main()
