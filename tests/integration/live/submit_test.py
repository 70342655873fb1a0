#!/usr/bin/python3
"""Submitting: once whatever is repeated, held back and released, packed without oversubscription."""

import collections
import errno
import os
import pty
import re

from live_platform import ClusterTest, eventually, ledger, main

JOB = {"resources": {"gpus": 1, "cpus": 1, "memory": "64MiB"}, "run": ["sleep", "1000"]}


def part(**gpu):
    return {**JOB, "resources": {**JOB["resources"], "gpus": gpu}}


class Submit(ClusterTest):
    def states(self):
        return collections.Counter(job["state"] for job in self.cli.jobs())

    def test_repeated_request_gives_the_same_jobs(self):
        first = self.cli.submit(JOB, "--request-id", "r1", "--count", "3")
        self.assertEqual(len(set(first)), 3)
        self.assertEqual(self.cli.submit(JOB, "--request-id", "r1", "--count", "3"), first)
        self.assertEqual(len(self.cli.jobs()), 3)
        self.assertNotEqual(self.cli.submit(JOB, "--request-id", "r2")[0], first[0])

    def test_repeated_request_gives_the_same_jobs_after_a_crash(self):
        first = self.cli.submit(JOB, "--request-id", "r1")
        self.cluster.controller.kill()
        self.cluster.start_controller()
        self.assertEqual(self.cli.submit(JOB, "--request-id", "r1"), first)

    def test_request_ids_of_users_do_not_meet(self):
        first = self.cli.submit(JOB, "--request-id", "r1")
        other = self.cli.as_user(1234).submit(JOB, "--request-id", "r1")
        self.assertNotEqual(first, other)

    def test_one_job_file_at_a_time(self):
        for name in ("a.yaml", "b.yaml"):
            with open(os.path.join(self.cluster.shared, name), "w") as file:
                file.write("run: ['true']\n")
        first, second = (os.path.join(self.cluster.shared, name) for name in ("a.yaml", "b.yaml"))
        answer = self.cli("jobs", "submit", first, second)
        self.assertEqual((answer.code, answer.out), (2, ""))
        self.assertIn("one job file at a time", answer.err)
        self.assertEqual(self.cli.jobs("--all"), [])
        self.cli("jobs", "submit", first, "--", second).ok()

    def test_a_job_names_the_file_that_it_was_submitted_from(self):
        place = os.path.join(self.cluster.shared, "train.yaml")
        with open(place, "w") as file:
            file.write("run: ['true']\n")
        os.chmod(place, 0o644)
        one, = self.cli("jobs", "submit", os.path.join(self.cluster.shared, ".", "train.yaml")).ok().out.split()
        self.assertIn(f"File        {place}\n", self.cli("jobs", "describe", one).ok().out)
        self.assertEqual(self.cli.job(one)["spec"]["file"], place)
        other = self.cli.as_user(1234)("jobs", "describe", one, "-o", "json").ok().out
        self.assertNotIn("train.yaml", other)
        piped, = self.cli.submit(JOB)
        self.assertNotIn("File ", self.cli("jobs", "describe", piped).ok().out)

    def test_file_with_a_mistake_submits_nothing(self):
        answer = self.cli("jobs", "submit", "-", input=b"run: 'true'\n---\nrun: 'true'\ngpu: 1\n")
        self.assertEqual((answer.code, answer.out), (2, ""))
        self.assertIn("GP1007", answer.err)
        self.assertEqual(self.cli.jobs("--all"), [])

    def test_held_job_waits_until_it_is_released(self):
        filler = self.cli.start("--gpus", "8", command=["sleep", "1000"])
        job = self.cli.start("--gpus", "1", command=["true"])
        self.cli("jobs", "hold", job).ok()
        self.cli("jobs", "kill", filler).ok()
        self.assertEqual(self.cli.wait(filler), 130)
        self.assert_job(job, state="PENDING", detail="HELD")
        self.assertEqual(self.cli.wait(job, timeout="200ms"), 7)
        self.cli("jobs", "release", job).ok()
        self.assertEqual(self.cli.wait(job), 0)

    def said_to_a_person(self, *flags):
        """What `run -d` writes where standard error is a terminal."""
        screen, inside = pty.openpty()
        self.addCleanup(os.close, screen)
        process = self.cli.popen("run", "-d", *flags, "--", "true", stdout=-1, stderr=inside)
        os.close(inside)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        said = b""
        try:
            while more := os.read(screen, 65_536):
                said += more
        except OSError as error:  # nobody writes there any more
            self.assertEqual(error.errno, errno.EIO)
        return said.decode()

    def test_a_person_hears_that_there_is_no_time_limit(self):
        words = "no time limit: others may wait for it without end, and it cannot run on reserved nodes (--time-limit)"
        self.assertRegex(self.said_to_a_person("--gpus", "1"), rf"» job-\d+: {re.escape(words)}")
        self.assertNotIn("time limit", self.said_to_a_person("--gpus", "1", "--time-limit", "1h"))
        self.assertNotIn("time limit", self.said_to_a_person("--gpus", "0"))
        self.cli("queues", "set", "brief", "--default-time", "10m").ok()
        self.assertNotIn("others may wait", self.said_to_a_person("--gpus", "1", "--queue", "brief"), "its queue gives one")
        self.assertNotIn("time limit", self.cli("run", "-d", "--gpus", "1", "--", "true").ok().err, "programs do not")

    def test_higher_priority_starts_first(self):
        filler = self.cli.start("--gpus", "8", command=["sleep", "1000"])
        low = self.cli.start("--gpus", "8", "--priority", "low", command=["sleep", "1000"])
        high = self.cli.start("--gpus", "8", "--priority", "high", command=["sleep", "1000"])
        self.cli("jobs", "kill", filler).ok()
        eventually(lambda: self.cli.job(high)["state"] == "RUNNING", "the more urgent job runs")
        self.assert_job(low, state="QUEUED")

    def test_sixteen_halves_fill_eight_gpus(self):
        jobs = self.cli.submit(part(share="0.5"), "--count", "17")
        eventually(lambda: self.states() == {"RUNNING": 16, "QUEUED": 1}, self.states)
        for _, gpu in self.cli.gpus():
            self.assertEqual((gpu["mode"], gpu["share_granted"], len(gpu["holders"])), ("timeslice", 1000, 2))
        self.assertEqual(ledger.settled_differences(self.cluster), [])
        self.cli("jobs", "kill", jobs[0]).ok()
        eventually(lambda: self.cli.job(jobs[-1])["state"] == "RUNNING", "the last one gets its half")


class SubmitToFourCards(ClusterTest):
    options = {"machine": "l40s-4"}

    def test_memory_of_one_gpu_is_never_promised_twice(self):
        *others, (_, last) = self.cli.gpus()
        for _, gpu in others:
            self.cli("drain", "--gpu-id", gpu["uuid"]).ok()
        usable_mib = last["memory_bytes"] >> 20
        self.assertEqual(usable_mib, 46068)
        # 23 fit by memory; the share is so small that only the memory counts.
        self.cli.submit(part(share="0.01", memory="2000MiB"), "--count", "24")
        eventually(lambda: len([job for job in self.cli.jobs() if job["state"] == "RUNNING"]) == usable_mib // 2000,
                   lambda: [(job["id"], job["state"], job["reason"]) for job in self.cli.jobs()])
        waiting = [job for job in self.cli.jobs() if job["state"] != "RUNNING"]
        self.assertEqual([job["state"] for job in waiting], ["QUEUED"])
        _, gpu = next(pair for pair in self.cli.gpus() if pair[1]["uuid"] == last["uuid"])
        self.assertEqual(gpu["memory_granted_bytes"], 23 * 2000 << 20)
        self.assertEqual(ledger.settled_differences(self.cluster), [])


class Gangs(ClusterTest):
    options = {"nodes": 2}

    def test_gang_waits_until_all_its_nodes_are_free_and_then_starts_whole(self):
        # One GPU of one node is taken: the gang needs all eight of both.
        filler = self.cli.start("--gpus", "1", command=["sleep", "1000"])
        gang = self.cli.start("--gpus", "8", "--nodes", "2", command=["sleep", "1000"])
        self.assertEqual(self.cli.wait(gang, timeout="500ms"), 7)
        self.assert_job(gang, state="QUEUED", places=[])
        self.assertEqual(len(ledger.holders(self.cli)), 1, "nothing is kept for half a gang")
        self.cli("jobs", "kill", filler).ok()
        eventually(lambda: self.cli.job(gang)["detail"] == "RUNNING", "all ranks run")
        self.assertEqual(sorted(ledger.held(self.cluster.sandbox)), [(gang, 1, 0), (gang, 1, 1)])
        self.assertEqual(ledger.settled_differences(self.cluster), [])

    def test_gpus_are_counted_per_node_and_their_sum_is_told(self):
        answer = self.cli("run", "-d", "--gpus-per-node", "8", "--nodes", "2", "--", "true").ok()
        job = answer.out.strip()
        self.assertEqual(answer.err, f"» {job}: 16 GPUs on 2 nodes\n")
        spec = self.cli.job(job)["spec"]
        self.assertEqual((spec["gpus"]["count"], spec["nodes"]), (8, 2))
        self.assertIn(" queued: 2 GPUs on 2 nodes\n", self.cli("run", "--gpus", "1", "--nodes", "2", "--", "true").err)
        self.assertIn("queued: 16 GPUs on 2 nodes; follow: ", self.cli("jobs", "submit", "-", input=b"run: 'true'\nnodes: 2\nresources: {gpus: 8}\n").ok().err)
        self.assertEqual(self.cli("run", "-d", "--gpus", "8", "--", "true").ok().err, "", "one node needs no sum")
        too_many = self.cli("run", "-d", "--gpus", "100", "--", "true")
        self.assertEqual(too_many.code, 2)
        self.assertIn("--gpus: must be from 0 to 64, not 100: GPUs are counted per node; for more, request several nodes", too_many.err)

    def test_ranks_know_each_other(self):
        script = "echo $GP_NODE_RANK $GP_NNODES $GP_GPUS_PER_NODE $GP_NODE_LIST $MASTER_ADDR $MASTER_PORT"
        gang = self.cli.start("--gpus", "8", "--nodes", "2", command=["sh", "-c", script])
        self.assertEqual(self.cli.wait(gang), 0)
        words = [self.cli("jobs", "logs", gang, "--rank", rank).ok().out.split() for rank in (0, 1)]
        self.assertEqual([line[:3] for line in words], [["0", "2", "8"], ["1", "2", "8"]])
        self.assertEqual(words[0][3:], words[1][3:])
        self.assertEqual(sorted(words[0][3].split(",")), sorted(self.cluster.node_names()))

    def test_one_rank_that_fails_ends_all(self):
        script = "[ $GP_NODE_RANK = 1 ] && exit 5; sleep 1000"
        gang = self.cli.start("--gpus", "8", "--nodes", "2", "--grace", "1s", command=["sh", "-c", script])
        self.assertEqual(self.cli.wait(gang), 5)
        self.assertIn("rank 1", self.assert_job(gang, state="FAILED")["reason"])

    def test_what_no_node_could_ever_hold_is_refused_unless_it_waits_for_nodes(self):
        for flags, why in ((["--gpus", "8", "--nodes", "3"], "needs 3 nodes with 8 GPUs as requested; there are 2"),
                           (["--gpus", "a100:1"], "no node has an a100"),
                           (["--gpus", "1", "--gpu-memory-min", "100GiB"], "the largest has"),
                           (["--gpus", "9"], "no node has 9 GPUs; the largest has 8")):
            refused = self.cli("run", "-d", *flags, "--", "true")
            self.assertEqual(refused.code, 2, flags)
            self.assertIn(why, refused.err)
            self.assertIn("--wait-for-nodes", refused.err)
            job = self.cli.start(*flags, "--wait-for-nodes", command=["true"])
            seen = self.assert_job(job, state="QUEUED")
            self.assertEqual(seen["reason_code"], "NoSuchHardware")
            self.assertIn(why, seen["reason"])
            self.assertIn("jobs explain", self.cli("jobs", "describe", job).ok().out)
            self.cli("jobs", "cancel", job).ok()


if __name__ == "__main__":
    main()
