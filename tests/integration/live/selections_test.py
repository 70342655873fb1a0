#!/usr/bin/python3
"""Jobs by their properties and their names: lists, changes of many, retry, and another queue."""

import time

from live_platform import ClusterTest, eventually, main

SLEEP = ["sleep", "1000"]


class Selections(ClusterTest):
    def start(self, name, *flags, command=SLEEP):
        return self.cli.start(*(() if "--gpus" in flags else ("--gpus", "0")), "--name", name, *flags, command=command)

    def names(self, *flags):
        return [job["spec"]["name"] for job in self.cli.jobs(*flags)]

    def states(self, *flags):
        return {job["spec"]["name"]: job["state"] for job in self.cli.jobs("--all", *flags)}

    def test_a_list_has_what_was_selected(self):
        self.cli("queues", "set", "research").ok()
        self.cli("queues", "set", "research/nlp").ok()
        self.start("train", "--label", "team=nlp", "--label", "run=7", "--queue", "research/nlp")
        self.start("eval", "--label", "team=vision", "--project", "vision")
        held = self.start("late", "--gpus", "8", "--nodes", "9", "--wait-for-nodes")
        self.cli("jobs", "hold", held).ok()
        self.cli("run", "--gpus", "0", "--name", "over", "--", "true").ok()
        for flags, expected in ((["--name", "train"], ["train"]), (["--name", "train,eval"], ["train", "eval"]), (["--queue", "research"], ["train"]),
                                (["--queue", "research/nlp", "--name", "eval"], []), (["--project", "vision"], ["eval"]), (["--label", "team=nlp,run=7"], ["train"]),
                                (["--label", "team"], ["train", "eval"]), (["--label", "team=none"], []), (["--state", "HELD"], ["late"]), (["--state", "R"], ["train", "eval"]),
                                (["--state", "completed"], ["over"]), (["--since", "1h"], ["train", "eval", "late", "over"]), (["--me"], ["train", "eval", "late"]),
                                (["--user", "nobody"], [])):
            self.assertEqual(self.names(*flags), expected, flags)
        time.sleep(1.1)
        self.assertEqual(self.names("--since", "1s"), ["train", "eval", "late"], "what was over before is left out")
        self.assertEqual(self.cli("jobs", "list", "--state", "DONE").code, 2)
        self.assertIn("neither a duration", self.cli("jobs", "list", "--since", "yesterday").err)

    def test_many_are_changed_after_a_question(self):
        for name in ("a", "b", "b"):
            self.start(name)
        eventually(lambda: [job["state"] for job in self.cli.jobs()] == ["RUNNING"] * 3, "they run")
        refused = self.cli("jobs", "cancel", "--name", "b")
        self.assertEqual(refused.code, 2)
        self.assertIn("this would cancel 2 jobs: confirm with --yes", refused.err)
        self.assertIn("job-2", refused.err, "it says which")
        self.assertEqual(self.states("--name", "b"), {"b": "RUNNING"})
        self.assertIn("2 of 2 jobs changed", self.cli("jobs", "cancel", "--name", "b", "--yes").ok().err)
        eventually(lambda: self.states() == {"a": "RUNNING", "b": "CANCELLED"}, self.states)
        self.assertIn("no jobs match", self.cli("jobs", "kill", "--name", "b", "--yes").ok().err)
        for words in (["cancel"], ["cancel", "job-1", "--all"]):
            self.assertIn("name jobs, or select them", self.cli("jobs", *words).err)
        self.cli("jobs", "kill", "--all", "--yes").ok()
        eventually(lambda: self.states()["a"] == "CANCELLED", self.states)

    def test_nobody_changes_jobs_of_others(self):
        mine = self.start("same")
        stranger = self.cli.as_user(12345)
        theirs = stranger.start("--gpus", "0", "--name", "same", command=SLEEP)
        self.assertIn("1 of 1 job changed", stranger("jobs", "cancel", "--name", "same", "--yes").ok().err, "among their own")
        self.assertIn("no jobs match", stranger("jobs", "cancel", "--user", "root", "--name", "none", "--yes").ok().err)
        refused = stranger("jobs", "cancel", "--user", "root", "--yes")
        self.assertEqual(refused.code, 5, refused)
        self.assertIn("belongs to root", refused.err)
        self.assertEqual(self.cli.wait(theirs), 130)
        self.assertNotEqual(self.cli.job(mine)["state"], "CANCELLED")
        self.assertIn("belongs to root", stranger("jobs", "move", mine, "--queue", "default").err)
        self.cli("jobs", "kill", mine).ok()
        self.assertEqual(self.cli.wait(mine), 130)
        self.assertIn("only its owner retries it", stranger("jobs", "retry", mine).err)
        self.assertIn("only its owner retries it", self.cli("jobs", "retry", theirs).err, "not even as root")

    def test_labels_are_the_owners(self):
        self.start("labelled", "--label", "experiment=secret")
        stranger = self.cli.as_user(12345)
        self.assertEqual([job["id"] for job in stranger.jobs("--name", "labelled")], ["job-1"], "it is seen")
        self.assertEqual(stranger.jobs("--label", "experiment=secret"), [])
        self.assertEqual(len(self.cli.jobs("--label", "experiment=secret")), 1)

    def test_who_moves_a_job_gains_no_right_to_read_it(self):
        self.cli("queues", "set", "theirs").ok()
        self.cli("roles", "grant", "games", "operator").ok()
        self.cli("roles", "grant", "games", "admin", "--queue", "theirs").ok()
        waiting = self.cli.start("--gpus", "8", "--nodes", "9", "--wait-for-nodes", command=["true"])
        operator = self.cli.as_user(5)
        refused = operator("jobs", "move", waiting, "--queue", "theirs")
        self.assertEqual(refused.code, 5, refused)
        self.assertIn("only its owner and admins of queue default", refused.err)
        self.cli("roles", "grant", "daemon", "none", "--queue", "theirs").ok()
        of_daemon = self.cli.as_user(1).start("--gpus", "8", "--nodes", "9", "--wait-for-nodes", command=["true"])
        refused = self.cli("jobs", "move", of_daemon, "--queue", "theirs")
        self.assertIn("daemon may not run jobs in theirs", refused.err)
        self.cli("roles", "revoke", "daemon", "--queue", "theirs").ok()
        self.cli("jobs", "move", of_daemon, "--queue", "theirs").ok()

    def test_names_stand_for_ids(self):
        self.start("training")
        eventually(lambda: self.cli.job("training")["state"] == "RUNNING", "it runs")
        for name in ("training", "train", "1", "job-1"):  # to look at it
            self.assertEqual(self.cli.job(name)["id"], "job-1")
        self.start("trial")
        self.assertIn('"tr" means 2 jobs: job-1 (training), job-2 (trial)', self.cli("jobs", "describe", "tr").err)
        self.assertIn('"trai" is no job', self.cli("jobs", "cancel", "trai").err, "to change it, its whole name")
        self.assertIn('"x" is no job', self.cli("jobs", "describe", "x").err)
        self.cli("jobs", "exec", "training", "--", "true").ok()
        self.cli("jobs", "cancel", "training").ok()
        self.assertEqual(self.cli.wait("training"), 130)

    def test_a_finished_job_runs_once_more(self):
        self.cli("run", "--gpus", "0", "--name", "once", "--env", "WORD=kept", "--", "sh", "-c", "echo $WORD").ok()
        [again] = self.cli("jobs", "retry", "once").ok().lines
        self.assertEqual(self.cli.wait(again), 0)
        self.assertEqual(self.cli("jobs", "logs", again).ok().out, "kept\n")
        running = self.start("still")
        self.assertIn("only a finished job can be retried", self.cli("jobs", "retry", running).err)

    def test_a_waiting_job_moves_to_another_queue(self):
        self.cli("queues", "set", "vision", "--default-time", "1h").ok()
        job = self.cli.start("--gpus", "8", "--nodes", "9", "--wait-for-nodes", command=["true"])
        moved = self.cli("jobs", "move", job, "--queue", "vision", "-o", "json").json["jobs"][0]
        self.assertEqual((moved["queue"], moved["spec"]["time_limit_ms"]), ("vision", 3_600_000))
        running = self.start("runs")
        eventually(lambda: self.cli.job(running)["state"] == "RUNNING", "it runs")
        self.assertIn("only a job that holds nothing", self.cli("jobs", "move", running, "--queue", "vision").err)
        self.assertIn("there is no queue nowhere", self.cli("jobs", "move", job, "--queue", "nowhere").err)
        array = self.cli.start("--gpus", "8", "--nodes", "9", "--wait-for-nodes", "--array", "4", command=["true"])
        self.cli("jobs", "cancel", f"{array}[0]").ok()
        self.assertIn(f"{array}: 3 jobs are in queue vision, time limit 1h", self.cli("jobs", "move", array, "--queue", "vision").ok().err)
        mixed = self.cli.start("--gpus", "0", "--array", "4%2", command=SLEEP)
        eventually(lambda: [one["state"] for one in self.cli.jobs(mixed)].count("RUNNING") == 2, "two run")
        self.assertIn(f"{mixed}: 2 jobs are in queue vision", self.cli("jobs", "move", mixed, "--queue", "vision").ok().err, "those that wait")
        self.assertIn("ChangeJobQueue", self.cli("audit", "list").ok().out)


if __name__ == "__main__":
    main()
