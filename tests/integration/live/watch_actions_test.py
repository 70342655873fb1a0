#!/usr/bin/python3
"""What `watch` does: keys cancel, hold, release and drain, and open pages of text.

Each change is looked for at the controller, not on the screen alone.
"""

import re
import shutil

from live_platform import ClusterTest, Terminal, eventually, main

NOISY = r"i=0; while :; do i=$((i+1)); printf '\033[31mstep %s\033[0m\007\n' $i; echo fault $i >&2; sleep 0.2; done"


class Actions(ClusterTest):
    options = {"nodes": 2}

    def setUp(self):
        self.assertIsNotNone(shutil.which("tmux"),
                             "tmux is not installed: apt-get install tmux (tools/setup-debian)")
        super().setUp()

    def open(self, width=80, height=24, before=()):
        terminal = Terminal(self.cluster, width, height, before=before)
        self.addCleanup(terminal.close)
        self.sees(terminal, "dgx-h100-0/0")
        return terminal

    def sees(self, terminal, *signs):
        eventually(lambda: all(sign in terminal.screen() for sign in signs),
                   lambda: f"{signs} are drawn:\n{terminal.screen()}", interval=0.05)

    def has_state(self, job, detail):
        eventually(lambda: self.cli.job(job)["detail"] == detail,
                   lambda: f"{job} is {detail}: {self.cli.job(job)}")

    def start_running(self, *command):
        job = self.cli.start("--name", "train", "--gpus", "8", command=command)
        self.has_state(job, "RUNNING")
        return job

    def test_a_job_is_cancelled_after_yes_only(self):
        job = self.start_running("sleep", "1000")
        terminal = self.open()
        terminal.press("F2")
        self.sees(terminal, job, "c cancel")
        terminal.press("c")
        self.sees(terminal, f"cancel {job} (train) of ", "8 GPUs on 1 node stop now? y/n")
        terminal.press("n")
        self.sees(terminal, "nothing was changed")
        self.assertEqual(self.cli.job(job)["state"], "RUNNING")
        terminal.press("c")
        self.sees(terminal, "stop now? y/n")
        terminal.press("y")
        self.sees(terminal, f"{job} is being stopped", "no job runs")
        self.has_state(job, "CANCELLED")

    def test_a_waiting_job_is_held_and_released(self):
        first, second = self.start_running("sleep", "1000"), self.start_running("sleep", "1000")
        job = self.cli.start("--name", "later", "--gpus", "8", command=["sleep", "1000"])
        terminal = self.open()
        terminal.press("F3")
        self.sees(terminal, job, "QUEUED")
        for question, detail, reason in (("does not start until", "HELD", "held;"),
                                         ("its turn comes", "QUEUED", "waits for")):
            terminal.press("h")
            self.sees(terminal, f"{job} (later)", question)
            terminal.press("y")
            self.sees(terminal, f"{job} {detail}", reason)
            self.has_state(job, detail)
        terminal.press("e")
        self.sees(terminal, f"why {job} waits", "What would start it now", first, second)
        terminal.press("Escape")
        self.sees(terminal, "F3 Queue 1", "WHY")

    def test_a_node_drains_and_returns(self):
        terminal = self.open()
        terminal.press("F4")
        self.sees(terminal, "D drain")
        terminal.press("D")
        self.sees(terminal, "drain dgx-h100-0: nothing new starts there, nothing runs there? y/n")
        terminal.press("y")
        self.sees(terminal, "dgx-h100-0: 8 GPUs OFFLINE")
        self.assertTrue(next(node for node in self.cli.cluster()["nodes"] if node["name"] == "dgx-h100-0")["draining"])
        self.sees(terminal, "dgx-h100-0 !")
        terminal.press("d")
        self.sees(terminal, "Driver", "Drained")
        terminal.press("End")
        self.sees(terminal, "no job holds resources of it")
        terminal.press("Escape", "D")
        self.sees(terminal, "return dgx-h100-0 to service")
        terminal.press("y")
        eventually(lambda: all(gpu["detail"] == "AVAILABLE" for node in self.cli.cluster()["nodes"] for gpu in node["gpus"]),
                   "all are in service")

    def test_output_is_followed_and_cannot_steer_the_terminal(self):
        job = self.start_running("sh", "-c", NOISY)
        terminal = self.open(100, 12)
        terminal.press("F2", "l")
        self.sees(terminal, f"output of {job}, standard output", "step 3")
        eventually(lambda: any(int(number) >= 20 for number in re.findall(r"step (\d+)", terminal.screen())), "later output is drawn")
        self.assertNotIn("step 1\n", terminal.screen())
        self.assertNotIn("[31m", terminal.screen())
        self.assertIn(r"\x07", terminal.screen())
        terminal.press("Tab")
        self.sees(terminal, "standard error", "fault ")
        terminal.press("Escape", "d")
        self.sees(terminal, "Requested")
        terminal.press("End")
        self.sees(terminal, "RANK.err")

    def test_the_controller_says_who_may_not(self):
        job = self.start_running("sleep", "1000")
        terminal = self.open(100, 24, before=("setpriv", "--reuid", "12345", "--clear-groups"))
        terminal.press("F2")
        self.sees(terminal, job)
        terminal.press("c")
        self.sees(terminal, "y/n")
        terminal.press("y")
        self.sees(terminal, f"! {job} belongs to ")
        self.assertEqual(self.cli.job(job)["state"], "RUNNING")
        terminal.press("F4", "D")
        self.sees(terminal, "y/n")
        terminal.press("y")
        self.sees(terminal, "lacks the role operator")


if __name__ == "__main__":
    main()
