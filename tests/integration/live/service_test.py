#!/usr/bin/python3
"""Taking GPUs and nodes out of service and back, and the commands of the requirement as written."""

import time

from live_platform import ClusterTest, eventually, main


class Service(ClusterTest):
    options = {"nodes": 2}

    def gpu(self, name):
        node, index = name.rsplit("/", 1)
        return next(gpu for n, gpu in self.cli.gpus() if n["name"] == node and gpu["index"] == int(index))

    def start_single(self):
        """A running job and the name of its GPU."""
        job = self.cli.start("--gpus", "1", "--grace", "1s", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "the job runs")
        rank = self.cli.job(job)["attempts"][-1]["ranks"][0]
        return job, f"{rank['node']}/{rank['gpus'][0]}"

    def test_drained_gpu_finishes_its_job_and_takes_no_other(self):
        job, name = self.start_single()
        self.cli("drain", "--gpu-id", name, "--reason", "fan").ok()
        gpu = self.gpu(name)
        self.assertTrue(gpu["draining"])
        self.assertIn("fan", gpu["reason"])
        others = self.cli.submit({"resources": {"gpus": 1, "cpus": 1, "memory": "1MiB"}, "run": ["sleep", "1000"]},
                                 "--count", "16")
        eventually(lambda: len([j for j in self.cli.jobs() if j["state"] == "RUNNING"]) == 16, "15 others run")
        self.assertEqual([h["job_id"] for h in self.gpu(name)["holders"]], [job])
        self.assert_job(job, state="RUNNING", attempt=1)
        self.cli("jobs", "kill", job).ok()
        eventually(lambda: self.gpu(name)["state"] == "OFFLINE", "it goes out of service")
        self.assert_job(others[-1], state="QUEUED")
        self.cli("online", "--gpu-id", name).ok()
        eventually(lambda: self.cli.job(others[-1])["state"] == "RUNNING", "it takes work again")

    def test_idle_gpu_is_offline_at_once_and_back_after_its_test(self):
        for action in ("drain", "offline"):
            self.cli(action, "--gpu-id", "dgx-h100-0/3").ok()
            eventually(lambda: self.gpu("dgx-h100-0/3")["state"] == "OFFLINE", "it is out of service")
            self.cli("online", "--gpu-id", "dgx-h100-0/3").ok()
            self.assertEqual(self.gpu("dgx-h100-0/3")["state"], "AVAILABLE")

    def test_offline_of_a_busy_gpu_needs_force(self):
        job, name = self.start_single()
        answer = self.cli("offline", "--gpu-id", name)
        self.assertEqual(answer.code, 4)
        self.assertIn("--force", answer.err)
        self.assert_job(job, state="RUNNING", attempt=1)

    def test_what_is_drained_with_a_deadline_loses_its_jobs_then(self):
        job, name = self.start_single()
        self.assertEqual(self.cli("drain", "--gpu-id", name, "--deadline", "soon").code, 2)
        self.cli("drain", "--gpu-id", name, "--deadline", "2s").ok()
        time.sleep(1)
        self.assert_job(job, state="RUNNING", attempt=1)
        eventually(lambda: self.cli.job(job)["attempt"] == 2 and self.cli.job(job)["state"] == "RUNNING", "it runs elsewhere")
        self.assert_job(job, retries_used=0, faults=0)
        self.assertEqual(self.cli.job(job)["attempts"][0]["end_class"], "drained")

    def test_forced_offline_moves_the_job_elsewhere_at_nobodys_charge(self):
        job, name = self.start_single()
        told = self.cli("offline", "--gpu-id", name, "--force").ok().err
        self.assertRegex(told, rf"{job} \(.*\) was stopped; it goes on at dgx-h100-")
        eventually(lambda: self.cli.job(job)["attempt"] == 2 and self.cli.job(job)["state"] == "RUNNING",
                   "the job runs again")
        seen = self.assert_job(job, retries_used=0, faults=0)
        rank = seen["attempts"][-1]["ranks"][0]
        self.assertNotEqual(f"{rank['node']}/{rank['gpus'][0]}", name)
        self.assertEqual(self.gpu(name)["state"], "OFFLINE")

    def test_whole_node_drains(self):
        self.cli("drain", "--node", "dgx-h100-0").ok()
        gang = self.cli.start("--gpus", "8", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(gang)["state"] == "RUNNING", "the other node takes it")
        self.assertEqual(self.cli.job(gang)["attempts"][0]["ranks"][0]["node"], "dgx-h100-1")
        waiting = self.cli.start("--gpus", "1", command=["true"])
        self.assert_job(waiting, state="QUEUED")
        self.cli("online", "--node", "dgx-h100-0").ok()
        self.assertEqual(self.cli.wait(waiting), 0)

    def test_the_gpus_of_a_node_return_together(self):
        """One by one, each would take half of a waiting job's place beside its own sockets."""
        for node in ("dgx-h100-0", "dgx-h100-1"):
            self.cli("offline", "--node", node).ok()
        jobs = [self.cli.start("--gpus", "2", command=["sleep", "1000"]) for _ in range(4)]
        self.cli("online", "--node", "dgx-h100-0").ok()
        for job in jobs:
            eventually(lambda: self.cli.job(job)["state"] == "RUNNING", f"{job} runs")
            gpus = self.cli.job(job)["attempts"][-1]["ranks"][0]["gpus"]
            self.assertEqual(len({gpu // 4 for gpu in gpus}), 1, f"{job} has GPUs of two sockets: {gpus}")

    def test_a_node_is_described_with_its_drain_its_marks_and_its_leases(self):
        node = "dgx-h100-0"
        self.cli("drain", "--node", "dgx-h100-1").ok()  # so that all are on the other one
        limited = self.cli.start("--gpus", "2", "--time-limit", "1h", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(limited)["state"] == "RUNNING", "it runs")
        before = self.cli.json("nodes", "describe", node)
        self.assertFalse(before["draining"])
        self.assertIsNone(before.get("drain"))
        self.assertEqual([(one["job_id"], one["rank"], len(one["gpus"])) for one in before["leases"]], [(limited, 0, 2)])
        self.cli("offline", "--gpu-id", f"{node}/7", "--reason", "fan").ok()
        self.cli("drain", "--node", node, "--reason", "new cables").ok()
        drain = self.cli.json("nodes", "describe", node)["drain"]
        self.assertEqual((drain["jobs"], drain.get("endless", [])), (1, []))
        self.assertEqual(drain["empty_by"], before["leases"][0]["ends_by"])
        told = self.cli("nodes", "describe", node).ok().out
        self.assertIn(f"{node}  DRAINING UP\n", told)
        self.assertIn("Reason      root: new cables\n", told)
        self.assertIn(f"Drained     since {drain['since']}\n", told)
        self.assertIn(f"Empty       {drain['empty_by']} at the latest: 1 job there\n", told)
        self.assertRegex(told, r"(?m)^7 +OFFLINE .*new cables")
        self.assertRegex(told, rf"(?m)^{limited} +0 +sleep +root +[0-9,-]+ ")
        # One that nothing ends makes it unknowable; a deadline is an end.
        self.cli("online", "--node", node).ok()
        endless = self.cli.start("--gpus", "1", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(endless)["state"] == "RUNNING", "it runs too")
        self.cli("drain", "--node", node).ok()
        self.assertIn(f"Empty       not known: {endless} has no time limit", self.cli("nodes", "describe", node).ok().out)
        self.cli("drain", "--node", node, "--deadline", "30m").ok()
        drain = self.cli.json("nodes", "describe", node)["drain"]
        self.assertTrue(drain["deadline"] < drain["empty_by"] < before["leases"][0]["ends_by"], drain)
        unknown = self.cli("nodes", "describe", "nowhere")
        self.assertEqual(unknown.code, 3)
        self.assertIn("nowhere", unknown.err)

    def test_health_of_a_lost_node_shows_what_was_read_last_as_old(self):
        self.cluster.agents[1].kill()
        lost = lambda: [node["name"] for node, _ in self.cli.gpus() if node["state"] == "LOST"]
        eventually(lost, "a node is lost", timeout=40)
        out = self.cli("health", "--gpu-id", f"{lost()[0]}/0").out
        self.assertRegex(out, r"readings +WARN +stale \d+s")
        self.cluster.agents[1].start()

    def test_service_state_outlives_the_controller(self):
        self.cli("offline", "--gpu-id", "dgx-h100-0/3", "--reason", "fan").ok()
        self.cluster.controller.kill()
        self.cluster.start_controller()
        self.cluster.await_gpus()
        self.assertEqual(self.gpu("dgx-h100-0/3")["state"], "OFFLINE")
        self.assertIn("fan", self.gpu("dgx-h100-0/3")["reason"])


class Commands(ClusterTest):
    """Every command that the requirement names, as it is written there."""

    def test_status_all(self):
        out = self.cli("status", "--all").ok().out
        for _, gpu in self.cli.gpus():
            self.assertIn(gpu["uuid"][:12], out)

    def test_health_of_one_gpu_by_its_uuid(self):
        _, gpu = self.cli.gpus()[0]
        out = self.cli("health", "--gpu-id", gpu["uuid"]).ok().out
        self.assertIn(gpu["uuid"], out)
        self.assertIn("temperature", out)

    def test_jobs_list_shows_where_jobs_run(self):
        job = self.cli.start("--gpus", "2", command=["sleep", "1000"])
        line = next(line for line in self.cli("jobs", "list").ok().out.splitlines() if line.startswith(job))
        self.assertIn("RUNNING", line)
        self.assertIn("dgx-h100-0[0-1]", line)

    def test_jobs_describe_shows_the_placement(self):
        job = self.cli.start("--gpus", "2", command=["sleep", "1000"])
        out = self.cli("jobs", "describe", job).ok().out
        self.assertIn("NUMA", out)
        self.assertIn("GPU-", out)

    def test_jobs_cancel_and_kill(self):
        for verb in ("cancel", "kill"):
            job = self.cli.start("--gpus", "1", command=["sleep", "1000"])
            self.cli("jobs", verb, job).ok()
            self.assertEqual(self.cli.wait(job), 130)

    def test_drain_offline_online_by_uuid(self):
        _, gpu = self.cli.gpus()[0]
        self.cli("drain", "--gpu-id", gpu["uuid"]).ok()
        self.cli("online", "--gpu-id", gpu["uuid"]).ok()
        self.cli("offline", "--gpu-id", gpu["uuid"], "--force").ok()
        self.cli("online", "--gpu-id", gpu["uuid"]).ok()

    def test_documents_go_to_stdout_and_words_to_stderr(self):
        job = self.cli.start("--gpus", "1", command=["true"])
        self.assertEqual(self.cli.wait(job), 0)
        for words in [["status"], ["jobs", "list"], ["jobs", "describe", job], ["gpus", "list"], ["nodes", "list"],
                      ["health", "--gpu-id", "dgx-h100-0/0"]]:
            with self.subTest(" ".join(words)):
                self.assertTrue(self.cli.json(*words))
                self.assertTrue(self.cli(*words, "--json").json)
                self.assertNotEqual(self.cli(*words, "-o", "yaml").ok().out, "")


if __name__ == "__main__":
    main()
