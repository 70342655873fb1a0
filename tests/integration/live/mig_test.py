#!/usr/bin/python3
"""MIG instances on a real controller, real agents and jobs; the driver is simulated, its devices are real nodes."""

import json
import os
import re

from live_platform import ClusterTest, eventually, main

ANA, BEN = 1234, 4321

# Tells what it was given, and which devices it may open: ENXIO (no driver there) is as good as yes.
PROBE = """
echo visible=$CUDA_VISIBLE_DEVICES
for device in $GP_DEVICE_DIRECTORY/nvidia[0-9]* $GP_DEVICE_DIRECTORY/nvidia-caps/*; do
  if (exec 3<"$device") 2>&1 | grep -q 'No such device'; then echo "may=${device#$GP_DEVICE_DIRECTORY/}"; fi
done
echo ready
sleep ${1:-1000}
"""


class Mig(ClusterTest):
    options = {"agent_flags": ("--mig", "0-1")}

    def start(self, cli, share, seconds=1000, flags=()):
        return cli.start("--share", str(share), "--isolation", "mig", "--cpus", "1", *flags, command=["/bin/sh", "-c", PROBE, "sh", str(seconds)])

    def output(self, job):
        return self.cli("jobs", "logs", job).out

    def await_ready(self, *jobs):
        for job in jobs:
            eventually(lambda: "ready" in self.output(job), lambda: f"{job}: {self.cli.job(job)} {self.output(job)} {self.cluster.logs()}")

    def word(self, job, name):
        return re.findall(rf"{name}=(\S+)", self.output(job))

    def gpu(self, index):
        return next(gpu for _, gpu in self.cli.gpus() if gpu["index"] == index)

    def instance(self, job):
        return next(holder["instance"] for _, gpu in self.cli.gpus() for holder in gpu.get("holders", []) if holder["job_id"] == job)

    def driver_journal(self):
        return os.path.join(self.cluster.agent_state(0), "faults")

    def instances(self, gpu=0):
        """What the driver has, by the driver's own book: number and place."""
        there = {}
        with open(self.driver_journal()) as journal:
            for line in journal:
                words = dict(word.split("=", 1) for word in line.split() if "=" in word)
                if f" gpu={gpu} " not in line + " ":
                    continue
                if " gi-create " in line:
                    there[words["id"]] = words["start"]
                elif " gi-destroy " in line:
                    there.pop(words["id"], None)
        return there

    def setUp(self):
        super().setUp()
        self.ana, self.ben = self.cli.as_user(ANA), self.cli.as_user(BEN)

    def test_users_share_a_gpu_and_see_their_own_instance_only(self):
        jobs = [self.start(self.ana, 0.14), self.start(self.ben, 0.25), self.start(self.ana, 0.4)]
        self.await_ready(*jobs)
        self.assertEqual({self.cli.job(job)["attempts"][-1]["ranks"][0]["gpus"][0] for job in jobs}, {0})
        self.assertEqual(sorted(self.instance(job).split("@")[0] for job in jobs), ["1g.10gb", "2g.20gb", "3g.40gb"])
        self.assertEqual(sorted(self.instances().values()), sorted(self.instance(job).split("@")[1] for job in jobs))
        visible = [self.word(job, "visible") for job in jobs]
        self.assertEqual(len({uuid for uuid, in visible}), 3)
        self.assertTrue(all(uuid.startswith("MIG-") for uuid, in visible), visible)
        opened = [set(self.word(job, "may")) for job in jobs]
        for may in opened:
            self.assertEqual({device for device in may if "caps" not in device}, {"nvidia0"})
            self.assertEqual(len([device for device in may if "caps" in device]), 2, may)
        self.assertEqual(len(set.union(*opened)), 7)  # two of each, and the GPU's own
        self.assertEqual(self.gpu(0)["mode"], "mig")
        self.assertEqual(self.gpu(0)["share_granted"], 142 + 285 + 428)
        self.assertNotIn("2g.20gb", self.gpu(0).get("instances_left", []))
        self.assertEqual(len(self.gpu(1)["instances_left"]), 6)

    def test_whole_gpus_and_parts_in_turns_are_elsewhere(self):
        whole = [self.ana.start("--gpus", "1", command=["sleep", "1000"]) for _ in range(6)]
        for job in whole:
            eventually(lambda: self.cli.job(job)["state"] == "RUNNING", lambda: f"{job} runs: {self.cli.job(job)}")
        used = {self.cli.job(job)["attempts"][-1]["ranks"][0]["gpus"][0] for job in whole}
        self.assertEqual(used, {2, 3, 4, 5, 6, 7})
        late = self.ana.start("--share", "0.5", command=["true"])
        self.assertEqual(self.cli.job(late)["state"], "QUEUED")
        self.assertIn("6 GPUs held", self.cli("jobs", "explain", late, "-o", "wide").out)
        self.cli("jobs", "cancel", whole[0])
        self.assertEqual(self.cli.wait(late), 0)

    def test_instances_go_with_their_jobs_and_make_room(self):
        full = [self.start(self.ana, 0.14) for _ in range(14)]
        self.await_ready(*full)
        self.assertEqual((len(self.instances(0)), len(self.instances(1))), (7, 7))
        large = self.start(self.ben, 0.99, seconds=0)
        self.assertEqual(self.cli.job(large)["state"], "QUEUED")
        for job in full:
            if self.cli.job(job)["attempts"][-1]["ranks"][0]["gpus"][0] == 1:
                self.cli("jobs", "cancel", job)
        self.assertEqual(self.cli.wait(large), 0)
        self.assertIn("visible=MIG-", self.output(large))
        eventually(lambda: not self.instances(1), lambda: f"its instance goes too: {self.instances(1)}")
        self.assertEqual(len(self.instances(0)), 7)

    def test_the_agents_death_disturbs_nobody_and_leaves_nothing_behind(self):
        stays, goes = self.start(self.ana, 0.14), self.start(self.ben, 0.25, seconds=2)
        self.await_ready(stays, goes)
        agent, = self.cluster.agents
        agent.kill()
        with open(self.driver_journal(), "a") as journal:  # of an agent that died between the two
            journal.write("@1 gi-create gpu=1 id=9 profile=19 start=2 size=1\n")
        agent.start()
        self.assertEqual(self.cli.wait(goes), 0)
        eventually(lambda: len(self.instances(0)) == 1 and not self.instances(1), lambda: f"{self.instances(0)} {self.instances(1)} {self.cluster.logs()}")
        self.assertEqual(self.cli.job(stays)["state"], "RUNNING")
        self.assertEqual(self.cli.job(stays)["attempt"], 1)
        again = self.start(self.ben, 0.25, seconds=0)
        self.assertEqual(self.cli.wait(again), 0)

    def test_an_error_in_an_instance_is_its_own(self):
        ana, ben = self.start(self.ana, 0.25), self.start(self.ben, 0.25)
        self.await_ready(ana, ben)
        number = next(id for id, start in self.instances().items() if start == self.instance(ben).split("@")[1])
        with open(self.driver_journal(), "a") as journal:
            journal.write(f"xid gpu=0 code=94 gi={number} ci=0\n")
        eventually(lambda: self.cli.job(ben)["attempt"] == 2, lambda: f"it starts again: {self.cli.job(ben)} {self.cli('incidents', 'list').out}")
        self.assertEqual((self.cli.job(ana)["state"], self.cli.job(ana)["attempt"]), ("RUNNING", 1))
        incident = json.loads(self.cli("incidents", "list", "-o", "json").out)["incidents"][0]
        self.assertIn("94", incident["cause"])

class Layout(ClusterTest):
    """GPU 0 is divided by its administrator, GPU 1, which its UUID names, as its jobs ask."""

    options = {"agent_flags": ("--mig", "0=3g.40gb,2g.20gb,2g.20gb", "--mig", "GPU-ae1f1b0a")}

    def start(self, profile):
        return self.cli.start("--mig", profile, "--cpus", "1", command=["sleep", "1000"])

    def place(self, job):
        def runs():
            return self.cli.job(job)["state"] == "RUNNING"
        eventually(runs, lambda: f"{job} runs: {self.cli.job(job)}")
        return next((gpu["index"], holder["instance"]) for _, gpu in self.cli.gpus() for holder in gpu.get("holders", []) if holder["job_id"] == job)

    def test_a_layout_is_kept_and_profiles_are_asked_for_by_name(self):
        places = [self.place(self.start(profile)) for profile in ("4g.40gb", "3g.40gb", "3g.40gb", "2g.20gb", "2g.20gb")]
        on = [sorted(instance.split("@")[0] for gpu, instance in places if gpu == which) for which in (0, 1)]
        self.assertEqual(on, [["2g.20gb", "2g.20gb", "3g.40gb"], ["3g.40gb", "4g.40gb"]], places)
        self.assertEqual(self.cli.job(self.start("1g.10gb"))["state"], "QUEUED")

    def test_what_a_layout_cannot_be_is_told_at_the_start(self):
        for mig, why in (("0=5g.1gb", "no MIG profile 5g.1gb; it has"), ("0=4g.40gb,4g.40gb", "do not fit"), ("0;0-1", "named twice"), ("9", "there is no GPU 9"),
                         ("GPU-zz", "is no GPU here"), ("GPU-", "is a prefix of several UUIDs")):
            with self.subTest(mig):
                said = self.cli("agent", "--simulate", "dgx-h100", "--node-index", "7", "--state", self.cluster.state + "-other", "--allow-root",
                                "--controller", f"unix:{self.cluster.run_directory}/control.sock", "--join-token-file", f"{self.cluster.state}/join-token", "--mig", mig)
                self.assertNotEqual(said.code, 0)
                self.assertIn(why, said.err)

    def test_a_profile_that_is_none_is_refused(self):
        refused = self.cli("run", "--mig", "half", "--", "true")
        self.assertEqual(refused.code, 2)
        self.assertIn('--mig: "half" is not a MIG profile', refused.err)


if __name__ == "__main__":
    main()
