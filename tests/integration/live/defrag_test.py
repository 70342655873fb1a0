#!/usr/bin/python3
"""Jobs are moved on a real controller: a wide one waits though enough GPUs are free, apart; then it starts, and they go on."""

import os
import sys

from live_platform import ClusterTest, eventually, main

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "clients", "python"))
import gpu_platform  # noqa: E402

# Keeps its work when told to stop: counts on where it left off.
COUNTER = r"""
n=$(cat "$GP_CHECKPOINT_DIR/n" 2>/dev/null || echo 0)
trap 'echo $n > "$GP_CHECKPOINT_DIR/n"; exit 0' TERM
echo "from $n"
while true; do n=$((n + 1)); sleep 0.1; done
"""


class Defrag(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 2, "policy": "min_run: 0s\nmove_cost: 0s\nmove_interval: 0s\n"}

    def start(self, gpus, *flags, command=("sleep", "120")):
        return self.cli.start("--gpus", str(gpus), *flags, command=list(command))

    def detail(self, job):
        return self.cli.job(job)["detail"]

    def running(self, job):
        eventually(lambda: self.detail(job) == "RUNNING", f"{job} runs")
        return job

    def places(self, job):
        return self.cli.job(job)["places"]

    def test_free_gpus_are_brought_together(self):
        mover = self.running(self.start(4, "--movable", "--grace", "1s", "--checkpoint-dir", self.cluster.shared, command=["sh", "-c", COUNTER]))
        filler = self.running(self.start(4))
        self.running(self.start(4))
        before = self.places(mover)
        self.cli("jobs", "cancel", filler).ok()
        eventually(lambda: self.detail(filler) == "CANCELLED", "the filler is gone")
        wide = self.start(8)
        self.assertEqual(self.detail(wide), "QUEUED")
        told = self.cli("jobs", "explain", wide, "-o", "json").json
        moves = [change for change in told["changes"] if change["kind"] == "move"]
        self.assertEqual([change["moves"] for change in moves], [[mover]])

        eventually(lambda: self.cli("defrag", "plan", "-o", "json").json.get("plans"), "it has waited for longer than a move costs")
        plan = self.cli("defrag", "plan", "-o", "json").json
        [pool] = plan["pools"]
        self.assertEqual((pool["name"], int(pool["gpus_free"])), ("default", 8))
        self.assertGreater(pool["gpus_stranded"], 0)
        self.assertEqual([(one["job_id"], one["moves"][0]["job_id"]) for one in plan["plans"]], [(wide, mover)])
        text = self.cli("defrag", "plan").ok().out
        self.assertIn(f"move {mover}", text)
        self.assertIn("FRAGMENTED", text)

        asked = self.cli("defrag", "apply")
        self.assertNotEqual(asked.code, 0)
        self.assertIn("--yes", asked.err)
        stranger = self.cli.as_user(12_345)
        self.assertIn("role operator", stranger("defrag", "apply", "--yes").err)
        self.assertEqual(self.detail(wide), "QUEUED")

        self.assertIn(f"move {mover}", self.cli("defrag", "apply", "--yes").ok().out)
        self.running(wide)
        self.running(mover)
        moved = self.cli.job(mover)
        self.assertNotEqual(moved["places"], before)
        self.assertEqual((int(moved["moves"]), int(moved.get("preemptions", 0))), (1, 0))
        eventually(lambda: "from " in self.cli("jobs", "logs", mover).out, "it tells where it went on")
        self.assertNotIn("from 0", self.cli("jobs", "logs", mover).out, "its work is kept")

    def test_moves_whose_answer_is_lost_are_not_made_again(self):
        mover = self.running(self.start(4, "--movable", "--grace", "1s", "--checkpoint-dir", self.cluster.shared, command=["sh", "-c", COUNTER]))
        filler = self.running(self.start(4))
        self.running(self.start(4))
        self.cli("jobs", "cancel", filler).ok()
        eventually(lambda: self.detail(filler) == "CANCELLED", "the filler is gone")
        self.start(8)
        eventually(lambda: self.cli("defrag", "plan", "-o", "json").json.get("plans"), "it has waited for longer than a move costs")
        client = gpu_platform.Client(self.cluster.run_directory)
        [plan] = client.operations.apply_moves(key="night-1")["plans"]
        self.assertEqual([move["job_id"] for move in plan["moves"]], [mover])
        with self.assertRaisesRegex(gpu_platform.Conflict, "these moves were ordered"):
            client.operations.apply_moves(key="night-1")
        self.running(mover)
        self.assertEqual(int(self.cli.job(mover)["moves"]), 1)

    def test_who_did_not_agree_stays(self):
        self.running(self.start(4))
        filler = self.running(self.start(4))
        self.running(self.start(4))
        self.cli("jobs", "cancel", filler).ok()
        eventually(lambda: self.detail(filler) == "CANCELLED", "the filler is gone")
        wide = self.start(8)
        self.assertIn("No moves", self.cli("defrag", "apply", "--yes").ok().out)
        self.assertEqual(self.detail(wide), "QUEUED")
        self.assertIn("no job job-9999", self.cli("defrag", "plan", "--job", "job-9999").err)


if __name__ == "__main__":
    main()
