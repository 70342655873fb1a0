#!/usr/bin/python3
"""Every command that operators are promised, with real ids put in, and what it then says and does.

GPU health (`status --all`, `health`, `watch`), jobs (`submit`, `list`, `describe`, `logs`,
`cancel`, `kill`) and maintenance (`drain`, `offline`, `online`): one test each, words for people
and `-o json`.
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import termios
from unittest import mock

from live_platform import ClusterTest, eventually, main
from real_nvml_clients.machine import Machine

NODE = "dgx-h100-0"  # the one node of these tests
MACHINE = Machine(pathlib.Path(__file__).parents[3] / "data/machines/dgx-h100.yaml")
CHECKS = ["node", "readings", "pcie_present", "ecc_uncorrected", "ecc_corrected", "row_remap", "temperature",
          "throttle", "nvlink", "recovery_action"]
# Prints that it received SIGTERM, and that it could clean up.
CAREFUL = "trap 'echo told; echo cleaned; exit 9' TERM; echo ready; while :; do sleep 0.05; done"


class Commands(ClusterTest):
    def gpu(self, uuid):
        return next(gpu for _, gpu in self.cli.gpus() if gpu["uuid"] == uuid)

    def start(self, *flags, script="sleep 1000"):
        """A job that runs, and the UUIDs of its GPUs."""
        flags = flags or ("--gpus", "1")
        job = self.cli.start("--grace", "5s", *flags, command=["sh", "-c", script])
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", lambda: self.cli.job(job))
        return job, self.uuids_of(job)

    def uuids_of(self, job):
        return self.cli.job(job)["attempts"][-1]["ranks"][0]["gpu_uuids"]

    def line_of(self, answer, first_word):
        lines = [line for line in answer.ok().lines if line.split()[:1] == [first_word]]
        self.assertEqual(len(lines), 1, answer)
        return lines[0]


class GpuHealth(Commands):
    def test_status_all_shows_every_gpu_with_its_state(self):
        _, (busy,) = self.start()
        broken = MACHINE.uuids[5]
        self.cli("offline", "--gpu-id", broken).ok()
        states = {**dict.fromkeys(MACHINE.uuids, "AVAILABLE"), busy: "IN_USE", broken: "OFFLINE"}
        eventually(lambda: self.gpu(busy)["state"] == "IN_USE", lambda: self.gpu(busy))
        answer = self.cli("status", "--all").ok()
        self.assertIn("8 GPUs: 6 AVAILABLE · 1 IN_USE · 1 OFFLINE", answer.lines[0])
        for index, uuid in enumerate(MACHINE.uuids):
            line = next(line for line in answer.lines if uuid[:12] in line)
            self.assertRegex(line, rf"─{index} {uuid[:12]} +{states[uuid]} ")
        document = self.cli.json("status", "--all")
        self.assertEqual({gpu["uuid"]: gpu["state"] for gpu in document["nodes"][0]["gpus"]},
                         states)

    def test_health_of_one_gpu_names_every_check(self):
        uuid = MACHINE.uuids[3]
        answer = self.cli("health", "--gpu-id", uuid).ok()
        self.assertEqual(answer.lines[0].split()[:2], [uuid, f"{NODE}/3"])
        self.assertIn("VERDICT  ok", answer.lines)
        for check in CHECKS:
            self.assertEqual(self.line_of(answer, check).split()[1], "ok")
        self.assertIn(f"{MACHINE.links} of {MACHINE.links} up", self.line_of(answer, "nvlink"))
        document = self.cli.json("health", "--gpu-id", uuid)
        self.assertEqual(document["verdict"], "ok")
        self.assertEqual({check["name"]: check["result"] for check in document["checks"]},
                         dict.fromkeys(CHECKS, "ok"))
        gpu = document["gpu"]
        self.assertEqual((gpu["uuid"], gpu["index"], gpu["state"]), (uuid, 3, "AVAILABLE"))
        self.assertEqual(gpu["readings"]["nvlinks_active"], MACHINE.links)
        self.assertEqual(gpu["numa_node"], MACHINE.numa[3])

    def test_health_of_a_gpu_out_of_service_ends_with_9(self):
        uuid = MACHINE.uuids[3]
        self.cli("offline", "--gpu-id", uuid, "--reason", "fan fails").ok()
        answer = self.cli("health", "--gpu-id", uuid)
        self.assertEqual(answer.code, 9, answer)
        self.assertIn("VERDICT  FAIL  out-of-service: root: fan fails", answer.lines)
        self.assertIn("fan fails", answer.out)
        answer = self.cli("health", "--gpu-id", uuid, "-o", "json")
        document = json.loads(answer.out)
        self.assertEqual((answer.code, document["verdict"], document["gpu"]["state"]),
                         (9, "FAIL", "OFFLINE"))


class Terminal:
    """A command in a pseudo-terminal, seen from the side of the screen and the keyboard."""

    def __init__(self, cli, *words):
        self.screen, self.inside = pty.openpty()
        fcntl.ioctl(self.inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.modes = termios.tcgetattr(self.inside)
        self.drawn = ""
        with mock.patch.dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8"):
            self.process = cli.popen(*words, stdin=self.inside, stdout=self.inside,
                                     stderr=self.inside)

    def read(self):
        """All that was drawn until now."""
        while select.select([self.screen], [], [], 0)[0]:
            self.drawn += os.read(self.screen, 65536).decode(errors="replace")
        return self.drawn

    def await_text(self, text):
        eventually(lambda: text in self.read(), lambda: f"{text!r} is drawn: {self.drawn!r}")

    def press(self, key):
        os.write(self.screen, key.encode())

    def await_end(self):
        """Its exit code."""
        def ended():
            self.read()  # nobody ends who cannot write
            return self.process.poll() is not None
        eventually(ended, lambda: f"it ends: {self.drawn!r}")
        self.read()
        return self.process.returncode

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.screen)
        os.close(self.inside)


class Watch(Commands):
    def watch(self):
        terminal = Terminal(self.cli, "watch", "--interval", "1s")
        self.addCleanup(terminal.close)
        terminal.await_text(f"{NODE}/7")
        return terminal

    def assert_restored(self, terminal):
        """The shell's screen, its cursor and its modes are what they were."""
        switches = re.findall(r"\x1b\[\?1049([hl])", terminal.drawn)
        self.assertEqual(switches, ["h", "l"])
        self.assertEqual(re.findall(r"\x1b\[\?25([hl])", terminal.drawn)[-1], "h")
        self.assertEqual(termios.tcgetattr(terminal.inside), terminal.modes)

    def test_watch_draws_reacts_to_keys_and_restores_the_screen(self):
        terminal = self.watch()
        for word in ("every 1s", "GPUs 8", "F1 GPUs", "AVAILABLE", "q quit"):
            self.assertIn(word, terminal.drawn)
        self.assertNotEqual(termios.tcgetattr(terminal.inside), terminal.modes)
        terminal.press("?")
        terminal.await_text("any key goes back")
        self.assertIsNone(terminal.process.poll())
        terminal.press("x")
        terminal.press("q")
        self.assertEqual(terminal.await_end(), 0)
        self.assert_restored(terminal)

    def test_watch_shows_a_job_that_starts_meanwhile(self):
        terminal = self.watch()
        self.start("--gpus", "1", "--name", "newcomer")
        terminal.await_text("newcomer")
        terminal.press("q")
        self.assertEqual(terminal.await_end(), 0)

    def test_watch_restores_the_screen_when_it_is_told_to_end(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number.name):
                terminal = self.watch()
                terminal.process.send_signal(number)
                self.assertGreaterEqual(terminal.await_end(), 0, "it ends by itself")
                self.assert_restored(terminal)

    def test_watch_into_a_pipe_prints_one_document_a_line(self):
        job, uuids = self.start()
        process = self.cli.popen("watch", "--interval", "1s", "-o", "json",
                                 stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        for _ in range(2):
            document = json.loads(process.stdout.readline())
            self.assertEqual([found["id"] for found in document["jobs"]], [job])
            held = [gpu["uuid"] for gpu in document["cluster"]["nodes"][0]["gpus"]
                    if gpu["holders"]]
            self.assertEqual(held, uuids)
        process.terminate()
        process.wait(60)

    def test_watch_into_a_pipe_prints_tables_for_people(self):
        job, _ = self.start("--gpus", "1", "--name", "train")
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", lambda: self.cli.job(job))  # and starts no more
        answer = self.cli("watch", "--once").ok()
        self.assertNotIn("\x1b", answer.out)
        for index in range(MACHINE.count()):
            self.line_of(answer, f"{NODE}/{index}")
        self.assertRegex(answer.out, r"\njob-\w+ +train +root +RUNNING ")
        self.assertIn("nothing waits", answer.lines)


class Jobs(Commands):
    def test_jobs_submit_prints_the_ids_and_queues_the_jobs_of_a_file(self):
        path = os.path.join(self.cluster.shared, "two.gpu.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("name: first\nresources: {gpus: 2}\nrun: sleep 1000\n---\n"
                       "name: second\nresources: {gpus: 1}\nrun: sleep 1000\n")
        answer = self.cli("jobs", "submit", path).ok()
        self.assertRegex(answer.out, r"\A(job-[0-9a-z]+\n){2}\Z")
        asked = [self.cli.job(job)["spec"] for job in answer.lines]
        self.assertEqual([(spec["name"], spec["gpus"]["count"]) for spec in asked],
                         [("first", 2), ("second", 1)])

    def test_jobs_list_shows_jobs_with_their_gpus(self):
        job, _ = self.start("--gpus", "2", "--name", "train")
        waiting = self.cli.start("--gpus", "8", command=["true"])
        answer = self.cli("jobs", "list")
        self.assertEqual(self.line_of(answer, "JOB").split(), [
            "JOB", "NAME", "USER", "PROJECT", "STATE", "PRI", "GPUS", "WHERE", "WAIT", "RUN",
            "BUSY", "EXIT", "NOTE"])
        self.assertRegex(self.line_of(answer, job),
                         rf"train +root +default +RUNNING +500 +2 +{NODE}\[0-1\] ")
        self.assertRegex(self.line_of(answer, waiting), r"QUEUED +500 +8 +– .*waits for 8 GPUs")
        self.assertEqual([(seen["id"], seen["state"], seen["places"])
                          for seen in self.cli.json("jobs", "list")["jobs"]],
                         [(job, "RUNNING", [f"{NODE}[0-1]"]), (waiting, "QUEUED", [])])

    def test_jobs_describe_shows_the_placement_on_numa_nodes(self):
        job, uuids = self.start("--gpus", "4", "--name", "train")
        answer = self.cli("jobs", "describe", job).ok()
        self.assertTrue(answer.lines[0].startswith(f"train ({job})  RUNNING"), answer)
        self.assertRegex(self.line_of(answer, "Placement"),
                         rf"same NUMA node, NVLink x{MACHINE.links}: {NODE}\[[0-7]-[0-7]\]")
        rank = next(line for line in answer.lines if "rank 0:" in line)
        self.assertRegex(rank, rf"{NODE} GPU .*cpus \d")
        self.assertEqual(re.findall(r"GPU-[0-9a-f-]{36}", rank), uuids)
        numa = {MACHINE.numa[MACHINE.uuids.index(uuid)] for uuid in uuids}
        self.assertEqual(len(numa), 1, "four GPUs have room on one NUMA node")
        self.assertIn(f"NUMA {min(numa)} ", rank)
        seen = self.cli.json("jobs", "describe", job)
        self.assertEqual(set(seen["attempts"][0]["ranks"][0]["numa_nodes"]), numa)
        self.assertEqual((seen["id"], seen["state"], seen["attempt"]), (job, "RUNNING", 1))
        self.assertIn("same NUMA node", seen["attempts"][0]["placement"])

    def test_jobs_logs_prints_what_the_job_printed(self):
        job = self.cli.start("--gpus", "1", command=["sh", "-c", "echo out; echo err >&2"])
        self.assertEqual(self.cli.wait(job), 0)
        self.assertEqual(self.cli("jobs", "logs", job).ok().out, "out\n")
        answer = self.cli("jobs", "logs", "--stderr", job).ok()
        self.assertEqual(answer.out + answer.err, "err\n")

    def stop(self, verb):
        """What a careful job could still print, and its end."""
        job, _ = self.start(script=CAREFUL)
        eventually(lambda: self.cli("jobs", "logs", job).out == "ready\n", "the job is ready")
        answer = self.cli("jobs", verb, job).ok()
        self.assertIn(job, answer.err)
        self.assertEqual(self.cli.wait(job), 130)
        self.assert_job(job, state="CANCELLED", exit_code=130)
        self.assertEqual(self.cli.jobs(), [], "it is no job of the present any more")
        return self.cli("jobs", "logs", job).ok().out.split()

    def test_jobs_cancel_lets_the_job_clean_up(self):
        self.assertEqual(self.stop("cancel"), ["ready", "told", "cleaned"])

    def test_jobs_kill_does_not(self):
        self.assertEqual(self.stop("kill"), ["ready"])


class Maintenance(Commands):
    def test_drain_finishes_what_runs_and_starts_nothing_new(self):
        job, (uuid,) = self.start()
        answer = self.cli("drain", "--gpu-id", uuid, "--reason", "new fan").ok()
        self.assertEqual(answer.out, "")
        self.assertIn("1 job left", answer.err)
        self.assertIn(job, answer.err)
        others = [self.cli.start("--gpus", "1", command=["sleep", "1000"]) for _ in range(8)]
        eventually(lambda: sum(seen["state"] == "RUNNING" for seen in self.cli.jobs()) == 8,
                   "seven others run beside it")
        self.assert_job(others[-1], state="QUEUED")
        self.assert_job(job, state="RUNNING", attempt=1)
        self.assertEqual([holder["job_id"] for holder in self.gpu(uuid)["holders"]], [job])
        self.cli("jobs", "kill", job).ok()
        eventually(lambda: self.gpu(uuid)["state"] == "OFFLINE", "it goes out of service")
        self.assertIn("new fan", self.gpu(uuid)["reason"])
        self.assert_job(others[-1], state="QUEUED")

    def test_drain_and_offline_give_the_cluster_as_a_document(self):
        for verb, state in (("drain", "OFFLINE"), ("offline", "OFFLINE"), ("online", "AVAILABLE")):
            with self.subTest(verb):
                uuid = MACHINE.uuids[1]
                gpus = self.cli.json(verb, "--gpu-id", uuid)["nodes"][0]["gpus"]
                states = {gpu["uuid"]: gpu["state"] for gpu in gpus}
                self.assertEqual(states[uuid], state)

    def test_changes_of_jobs_give_documents_too(self):
        self.start("--gpus", "8")
        job = self.cli.start("--gpus", "8", command=["true"])
        held, = self.cli.json("jobs", "hold", job)["jobs"]
        self.assertEqual((held["state"], held["detail"]), ("PENDING", "HELD"))
        self.assertIn("jobs release " + job, held["reason"])
        self.assertEqual(self.cli.json("jobs", "release", job)["jobs"][0]["state"], "QUEUED")
        self.assertEqual(self.cli.json("jobs", "cancel", job)["jobs"][0]["state"], "CANCELLED")

    def test_forms_that_a_command_does_not_have_are_refused(self):
        answer = self.cli("status", "-o", "csv")
        self.assertEqual(answer.code, 2)
        self.assertIn("this command offers table, wide, json and yaml", answer.err)

    def test_offline_with_force_stops_the_job_at_once_and_moves_it(self):
        job, (uuid,) = self.start()
        answer = self.cli("offline", "--gpu-id", uuid)
        self.assertEqual(answer.code, 4, answer)
        self.assertIn("--force", answer.err)
        answer = self.cli("offline", "--gpu-id", uuid, "--force").ok()
        self.assertIn(f"{NODE}/{MACHINE.uuids.index(uuid)} OFFLINE", answer.err)
        eventually(lambda: self.cli.job(job)["attempt"] == 2
                   and self.cli.job(job)["state"] == "RUNNING", lambda: self.cli.job(job))
        self.assertNotEqual(self.uuids_of(job), [uuid])
        self.assertEqual(self.gpu(uuid)["state"], "OFFLINE")
        self.assertEqual(self.gpu(uuid)["holders"], [])

    def test_online_returns_a_gpu_to_the_pool(self):
        first, second = MACHINE.uuids[:2]
        for uuid in (first, second):
            self.cli("offline", "--gpu-id", uuid, "--force").ok()
        job = self.cli.start("--gpus", "8", command=["sleep", "1000"])
        answer = self.cli("online", "--gpu-id", first).ok()
        self.assertIn(f"{NODE}/0 AVAILABLE", answer.err)
        self.assertEqual(self.gpu(first)["state"], "AVAILABLE")
        self.assert_job(job, state="QUEUED")
        self.cli("online", "--gpu-id", second).ok()
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", lambda: self.cli.job(job))
        self.assertEqual(self.uuids_of(job), MACHINE.uuids)


if __name__ == "__main__":
    main()
