#!/usr/bin/python3
"""Faults of GPUs on a real controller, real agents, watchers and jobs; the driver is the simulated one."""

import datetime
import json
import os
import re
import subprocess
import time

from live_platform import ClusterTest, UnixConnection, eventually, main


class FaultCase(ClusterTest):
    """What tests of faults do to nodes and ask of the controller."""

    def inject(self, node, command):
        """A line of the simulated driver's control file: docs/how-to/fake_driver.md."""
        with open(os.path.join(self.cluster.agent_state(int(node.rsplit("-", 1)[1])), "faults"), "a") as control:
            control.write(command + "\n")

    def gpu(self, name):
        node, index = name.rsplit("/", 1)
        return next(gpu for n, gpu in self.cli.gpus() if n["name"] == node and gpu["index"] == int(index))

    def place_of(self, job):
        rank = self.cli.job(job)["attempts"][-1]["ranks"][0]
        return f"{rank['node']}/{rank['gpus'][0]}"

    def runs(self, job, attempt):
        seen = self.cli.job(job)
        return seen["attempt"] == attempt and seen["detail"] == "RUNNING"

    def incidents(self, *flags):
        return json.loads(self.cli("incidents", "list", *flags, "-o", "json").ok().out).get("incidents", [])

    def metrics(self):
        """Of the controller, by name and labels."""
        lines = self.cli("metrics").ok().out.splitlines()
        return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))

    def start_gang(self, gpus="2"):
        job = self.cli.start("--gpus", gpus, command=["sleep", "1000"])
        eventually(lambda: self.runs(job, 1), "the job runs")
        return job, self.place_of(job)

    def reboot(self, node):
        """As a person would; the node's agent begins again with it."""
        agent = self.cluster.agent_of(node)
        agent.stop()
        self.inject(node, "reboot")
        agent.start()
        eventually(lambda: all(gpu["detail"] != "LOST" for _, gpu in self.cli.gpus()), "lost GPUs answer again")


class Faults(FaultCase):
    options = {"nodes": 2}

    def test_a_fault_is_told_everywhere_with_the_same_times(self):
        job, place = self.start_gang()
        node, index = place.split("/")
        self.inject(node, f"xid gpu={index} code=79")
        eventually(lambda: self.runs(job, 2), "the job runs again")
        incident, = self.incidents()
        opened = datetime.datetime.fromisoformat(incident["opened_at"]).timestamp()
        described = self.cli("jobs", "describe", job).ok().out
        told = re.search(rf"GPU error +XID 79 on {place} at (\S+),", described).group(1)
        self.assertEqual(told[:19], incident["opened_at"][:19])
        metrics = self.metrics()
        self.assertEqual(metrics[f'gpu_platform_fault_reports_total{{node="{node}",gpu="{index}",xid="79"}}'], "1")
        self.assertEqual(metrics['gpu_platform_job_interruptions_total{cause="fault"}'], "1")
        self.assertEqual(metrics['gpu_platform_job_requeues_total{class="gpu-error",charged_to="hardware"}'], "1")
        since = next(value for name, value in metrics.items() if name.startswith("gpu_platform_incident_opened") and f'incident="{incident["id"]}"' in name)
        self.assertAlmostEqual(float(since), opened, delta=1)
        self.assertEqual(self.cli("incidents", "show", incident["id"], "-o", "json").json["opened_at"], incident["opened_at"])
        # As a file for the node exporter.
        path = os.path.join(self.cluster.shared, "gpu_platform.prom")
        self.cli("metrics", "--file", path).ok()
        with open(path) as file:
            self.assertIn("# TYPE gpu_platform_gpus gauge", file.read())
        self.reboot(node)

    def test_a_fatal_error_moves_the_job_and_the_gpu_is_reset_tested_and_back(self):
        job, place = self.start_gang()
        self.inject(place.split("/")[0], f"xid gpu={place.split('/')[1]} code=95")
        eventually(lambda: self.runs(job, 2), "the job runs again")
        self.assert_job(job, faults=1, retries_used=0)
        self.assertNotEqual(self.place_of(job), place)
        eventually(lambda: self.gpu(place)["detail"] == "AVAILABLE" and not self.incidents(), "the GPU is back")
        self.assertRegex(self.cli("jobs", "describe", job).ok().out, rf"GPU error +XID 95 on {place} at .*, attempt 1; not charged")
        incident = self.incidents("--all")[0]
        self.assertEqual((incident["state"], incident["jobs"]), ("CLOSED", [job]))
        self.assertIn("XID 95", incident["cause"])
        told = self.cli("incidents", "show", incident["id"]).ok().out
        for step in ("reset ordered", "was reset; test ordered", "tested: sound", "closed by the controller"):
            self.assertIn(step, told)

    def test_an_error_of_a_program_costs_nobody_but_it(self):
        job, place = self.start_gang()
        node, index = place.split("/")
        for code in (13, 31, 43, 45):
            self.inject(node, f"xid gpu={index} code={code} pid=1 name=python3 action=none")
        time.sleep(0.5)
        self.assert_job(job, state="RUNNING", attempt=1)
        self.assertEqual(self.gpu(place)["detail"], "AVAILABLE")
        self.assertEqual(self.incidents(), [])

    def test_a_lost_gpu_leaves_its_node_to_work_until_it_is_rebooted(self):
        job, place = self.start_gang()
        node, index = place.split("/")
        self.inject(node, f"xid gpu={index} code=79")
        eventually(lambda: self.runs(job, 2), "the job runs again")
        self.assertEqual(self.gpu(place)["detail"], "LOST")
        self.assertFalse(next(n for n, _ in self.cli.gpus() if n["name"] == node)["draining"])
        sound = [gpu["index"] for n, gpu in self.cli.gpus() if n["name"] == node and gpu["verdict"]["takes_new_work"]]
        self.assertEqual(sound, [i for i in range(8) if i != int(index)])
        incident = self.incidents()[0]
        self.assertTrue(incident["needs_person"])
        shown = self.cli("incidents", "show", incident["id"]).ok().lines
        self.assertIn("Meaning    GPU no longer answers on PCIe (critical; NVIDIA: RESTART_BM); gpu-platform xid explain 79", shown)
        self.assertTrue(any(line.startswith("Runbook    ") and line.endswith("(docs/runbooks/IncidentNeedsPerson.md)") for line in shown), shown)
        at = shown.index(f"Next       gpu-platform drain --node {node} --reason {incident['id']}")
        self.assertEqual([line.strip() for line in shown[at + 1:at + 3]], [f"reboot {node}", f"gpu-platform online --node {node}"])
        # The report names the XID, and the card is not "ok everywhere".
        health = self.cli("health", "--gpu-id", place, "-o", "json")
        self.assertEqual(health.code, 9)
        document = json.loads(health.out)
        self.assertEqual((document["verdict"], document["code"]), ("FAIL", "xid-79"))
        self.assertIn(("xid", "FAIL", "79"), [(check["name"], check["result"], check["value"]) for check in document["checks"]])
        self.cli("incidents", "ack", incident["id"], "--note", "rebooting").ok()
        self.cli("drain", "--node", node).ok()
        eventually(lambda: self.place_of(job).split("/")[0] != node or self.cli("jobs", "cancel", job).code == 0, "nobody runs there")
        agent = self.cluster.agent_of(node)
        agent.stop()
        self.inject(node, "reboot")
        agent.start()
        # One word is enough, however early it is said.
        self.cli("online", "--node", node)
        eventually(lambda: self.gpu(place)["detail"] == "AVAILABLE", "it is back", timeout=60)
        self.assertIsNotNone(self.gpu(place)["readings"].get("temperature_celsius"))
        eventually(lambda: self.incidents() == [], self.incidents)

    def test_a_driver_call_that_hangs_hides_no_other_gpu(self):
        self.inject("dgx-h100-0", "hang gpu=3 call=nvmlDeviceGetTemperature seconds=1000")
        eventually(lambda: self.gpu("dgx-h100-0/3")["detail"] == "SUSPECT", "it is suspected", timeout=60)
        self.assertIn("does not answer", self.gpu("dgx-h100-0/3")["reason"])
        self.assertIn("its driver does not answer", [incident["cause"] for incident in self.incidents()])
        # Old figures are not shown as new ones, and hide no other GPU's.
        eventually(lambda: self.gpu("dgx-h100-0/3")["readings"]["stale"], "its readings are stale")
        self.assertIsNone(self.gpu("dgx-h100-0/3")["readings"].get("temperature_celsius"))
        self.assertEqual(self.gpu("dgx-h100-0/3")["verdict"]["level"], "UNKNOWN")
        self.assertRegex(self.cli("status", "--all").ok().out, r"─3 .*stale \d+s")
        fresh = self.gpu("dgx-h100-0/2")["readings"]
        self.assertFalse(fresh.get("stale", False))
        self.assertLess(fresh["age_seconds"], 6)
        self.inject("dgx-h100-0", "xid gpu=4 code=119")  # the others are watched all the same
        eventually(lambda: any(i["gpu"] == 4 for i in self.incidents("--all")), "an incident tells of it")
        others = [gpu["detail"] for n, gpu in self.cli.gpus() if n["name"] == "dgx-h100-0" and gpu["index"] not in (3, 4)]
        self.assertEqual(set(others), {"AVAILABLE"})

    def read_kernel_log(self):
        """The path of a log that the first node's agent reads from now on; the other node takes no new work."""
        log = os.path.join(self.cluster.shared, "kmsg")
        open(log, "w").close()
        agent = self.cluster.agents[0]
        agent.stop()
        agent.words += ["--kernel-log", log]
        agent.start()
        self.cluster.await_gpus()
        self.cli("drain", "--node", "dgx-h100-1").ok()
        return log

    def test_the_kernels_log_names_the_program_and_nobody_can_forge_it(self):
        log = self.read_kernel_log()
        jobs = [self.cli.start("--share", "0.5", command=["sleep", f"1000.{k}"]) for k in range(2)]
        for job in jobs:
            eventually(lambda: self.runs(job, 1), "the job runs")
        self.assertEqual(self.place_of(jobs[0]), self.place_of(jobs[1]))
        pid = self.cluster.sandbox.process_of("sleep", "1000.1")  # as the kernel numbers it
        bus = self.gpu(self.place_of(jobs[0]))["pci_bus_id"][4:-2].lower()

        def log_line(priority, text):
            with open(log, "a") as file:
                file.write(f"{priority},1,1,-;NVRM: Xid (PCI:{bus}): {text}\n")
        log_line(12, "79, pid=1, name=x, GPU has fallen off the bus.")  # a user's line
        log_line(4, f"31, pid={pid}, name=x: 79, y, Ch 00000008")         # a user's process name
        log_line(4, f"68, pid={pid}, name=python3, Ch 00000008")
        eventually(lambda: self.runs(jobs[1], 2), "the one that is named runs again")
        self.assert_job(jobs[0], state="RUNNING", attempt=1)
        self.assertEqual([note["xid"] for note in self.cli.job(jobs[1])["xids"]], [31, 68])
        self.assertNotIn("79", "".join(i["cause"] for i in self.incidents("--all")))

    def test_a_failing_nvswitch_ends_work_of_several_gpus(self):
        log = self.read_kernel_log()
        big, small = (self.cli.start("--gpus", gpus, command=["sleep", "1000"]) for gpus in ("4", "1"))
        for job in (big, small):
            eventually(lambda: self.runs(job, 1), "the job runs")
        self.cli("online", "--node", "dgx-h100-1").ok()
        def log_line(text):
            with open(log, "a") as file:
                file.write(f"3,1,1,-;{text}\n")
        log_line("nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV error (First)")
        eventually(lambda: self.metrics().get('gpu_platform_fabric_reports_total{node="dgx-h100-0",sxid="12028"}') == "1", self.metrics)
        self.assertEqual(self.incidents(), [])
        log_line("nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 28 LTSSM Fault Up")
        eventually(lambda: self.runs(big, 2), "the job runs elsewhere")
        self.assert_job(big, faults=1, retries_used=0)
        self.assert_job(small, state="RUNNING", attempt=1)
        incident, = self.incidents()
        self.assertEqual((incident["cause"], incident["node"], incident["jobs"]), ("SXid 20034", "dgx-h100-0", [big]))
        drains = lambda: next(n for n, _ in self.cli.gpus() if n["name"] == "dgx-h100-0")["draining"]
        self.assertTrue(drains())
        told = self.cli("online", "--gpu-id", "dgx-h100-0/7").ok().err
        self.assertRegex(told, r"dgx-h100-0 still drains: .*SXid 20034.*gpu-platform online --node dgx-h100-0")
        self.assertTrue(drains(), "one GPU says nothing of the fabric")
        self.cli("online", "--node", "dgx-h100-0").ok()
        self.assertFalse(drains())

    def test_a_watcher_that_is_killed_is_begun_again(self):
        uuid = self.gpu("dgx-h100-0/2")["uuid"]
        watchers = lambda: {int(pid) for pid in subprocess.run(["pgrep", "-f", f"__watch-gpu.* {uuid}$"], capture_output=True, text=True).stdout.split()
                            if f"/{self.cluster.agents[0].pid}/" in f"/{_parent(int(pid))}/"}
        before = watchers()
        self.assertEqual(len(before), 1)
        os.kill(before.pop(), 9)
        eventually(lambda: len(watchers()) == 1, "another one watches")
        self.inject("dgx-h100-0", "xid gpu=2 code=119")
        eventually(lambda: self.incidents("--all"), "it sees errors")

    def test_a_fault_that_nobody_hears_is_told_when_somebody_does(self):
        job, place = self.start_gang()
        node, index = place.split("/")
        self.cluster.controller.kill()
        self.inject(node, f"xid gpu={index} code=119")
        time.sleep(1)
        self.cluster.start_controller()
        eventually(lambda: self.runs(job, 2), "the job runs again")
        self.assertEqual(sum(incident["reports"] for incident in self.incidents("--all")), 1)

    def test_reset_waits_for_the_job_or_stops_it(self):
        job, place = self.start_gang("1")
        answer = self.cli("reset", "--gpu-id", place)
        self.assertEqual(answer.code, 4)
        self.assertIn("--force", answer.err)
        self.cli("reset", "--gpu-id", place, "--force").ok()
        eventually(lambda: self.runs(job, 2), "the job runs again")
        self.assert_job(job, faults=0)
        eventually(lambda: self.gpu(place)["detail"] == "AVAILABLE", "it is back")

    def test_incidents_are_named_as_they_should_be(self):
        for words in (("show", "incident-zzzz"), ("close", "incident-9999"), ("ack", "job-1"), ("show", "x" * 300)):
            answer = self.cli("incidents", *words)
            self.assertIn(answer.code, (2, 3), answer.err)
            self.assertIn("incident", answer.err)


class Breaker(FaultCase):
    """Ten of 16 GPUs fail at once: whatever promises a repair says that it is held back, and by which incident."""
    options = {"nodes": 2, "policy": "breaker_nodes_min: 2\n"}

    FAILED = [f"dgx-h100-{node}/{gpu}" for node in range(2) for gpu in range(5)]
    METRIC = 'gpu_platform_breaker_open{pool="default"}'

    def rest(self, path):
        line = UnixConnection(f"{self.cluster.run_directory}/http.sock")
        self.addCleanup(line.close)
        line.request("GET", f"/api/v1/{path}")
        return json.loads(line.getresponse().read())

    def doctor(self):
        """What its check of the breaker says: result, what, fix."""
        check, = [one for one in json.loads(self.cli("doctor", "-o", "json").out)["checks"] if one["name"] == "breaker"]
        return check["result"], check["what"], check["fix"]

    def trip(self):
        """The breaker's incident, and those that it holds, once the repairs that began before it are over."""
        for place in self.FAILED:
            node, gpu = place.split("/")
            self.inject(node, f"xid gpu={gpu} code=48")
        eventually(lambda: self.cli.cluster().get("breakers"), self.incidents)
        breaker, = self.cli.cluster()["breakers"]
        def is_at_rest():
            known = {f"{one['node']}/{one['gpu']}" for one in self.incidents("--all") if one["node"]}
            waiting = [one for one in self.incidents() if one["id"] != breaker["incident"]]
            return known == set(self.FAILED) and all(one.get("held_by") for one in waiting)
        eventually(is_at_rest, self.incidents, timeout=60)
        held = [one for one in self.incidents() if one["id"] != breaker["incident"]]
        self.assertTrue(held, "those that came when too many were out already")
        return breaker, held

    def test_what_it_holds_back_is_said_until_its_incident_is_closed(self):
        self.assertEqual(self.doctor(), ("ok", "no repair is held back", ""))
        breaker, held = self.trip()
        its = breaker["incident"]
        self.assertRegex(breaker["cause"], r"^([89]|10) GPUs on 2 nodes of pool default taken out within 10m$")
        self.assert_held(breaker, held)
        self.cli("incidents", "ack", its).ok()
        self.assert_held(breaker, held)  # to know of it is not to close it
        self.cli("incidents", "close", its, "--note", "a cable").ok()
        self.assert_released(held)
        eventually(lambda: not self.incidents(), self.incidents, timeout=60)
        self.assertEqual({gpu["detail"] for _, gpu in self.cli.gpus()}, {"AVAILABLE"})

    def assert_held(self, breaker, held):
        its = breaker["incident"]
        words = f"held: nothing is reset automatically in this pool until {its} is closed"
        self.assertIn(f"NOTE     pool default: nothing is reset or drained automatically: {breaker['cause']}; gpu-platform incidents close {its} ends this",
                      self.cli("status").ok().lines)
        listed = self.cli("incidents", "list").ok().out
        over_rest = {one["id"]: one for one in self.rest("incidents")["incidents"]}
        self.assertEqual(over_rest[its]["held_by"], "", "nothing holds back the breaker's own")
        gpus = {f"{node['name']}/{gpu['index']}": gpu for node in self.rest("cluster")["nodes"] for gpu in node["gpus"]}
        for one in held:
            place = f"{one['node']}/{one['gpu']}"
            self.assertEqual(one["held_by"], its)
            self.assertRegex(listed, rf"(?m)^{one['id']} .* {place} .*reset, held by {its}\b")
            self.assertRegex(self.cli("incidents", "show", one["id"]).ok().out, rf"(?m)^Remedy +reset; {words}$")
            health = self.cli("health", "--gpu-id", place)
            self.assertRegex(health.out, rf"(?m)^ACTION +no new work; .*; {words}$")
            self.assertTrue(json.loads(self.cli("health", "--gpu-id", place, "-o", "json").out)["follows"].endswith(words))
            self.assertEqual(over_rest[one["id"]]["held_by"], its)
            self.assertEqual(self.rest(f"incidents/{one['id']}")["held_by"], its)
            self.assertTrue(gpus[place]["verdict"]["follows"].endswith(words), gpus[place])
        self.assertEqual([one["incident"] for one in self.rest("cluster")["breakers"]], [its])
        self.assertEqual(self.metrics()[self.METRIC], "1")
        result, what, fix = self.doctor()
        self.assertEqual((result, what), ("WARN", f"pool default: nothing is reset or drained automatically until {its} is closed: {breaker['cause']}"))
        self.assertIn(f"gpu-platform incidents close {its}", fix)

    def assert_released(self, held):
        self.assertNotRegex(self.cli("status").ok().out, r"(?m)^NOTE ")
        self.assertNotIn("held", self.cli("incidents", "list", "--all").ok().out)
        self.assertEqual({one["held_by"] for one in self.rest("incidents?all=true")["incidents"]}, {""})
        for one in held:
            self.assertNotIn("held", self.cli("incidents", "show", one["id"]).ok().out)
            self.assertNotIn("held", self.cli("health", "--gpu-id", f"{one['node']}/{one['gpu']}").out)
        self.assertEqual(self.rest("cluster").get("breakers", []), [])
        self.assertNotIn(self.METRIC, self.metrics())
        self.assertEqual(self.doctor(), ("ok", "no repair is held back", ""))


class Sick(FaultCase):
    """A GPU made sick in each of ten ways, with and without an XID: the same verdict wherever health is shown."""
    options = {"nodes": 1}

    WAYS = (
        # name, lines, code, level, condition, lines that make it well (None: an operator or a reset has to)
        ("uncorrected", ["ecc gpu={} uncorrected=3"], "ecc-uncorrected", "FAIL", None, None),
        ("pending", ["remap gpu={} uncorrected=1 pending=yes"], "row-remap-pending", "FAIL", None, None),
        ("remap failed", ["remap gpu={} failed=yes"], "row-remap-failed", "FAIL", "QUARANTINED", None),
        ("link", ["link gpu={} link=3 state=down"], "nvlink-down", "WARN", "UNLINKED", ["link gpu={} link=3 state=up"]),
        ("warm", ["temperature gpu={} celsius=88"], "warm", "WARN", "SUSPECT", ["temperature gpu={} celsius=40"]),
        ("critical", ["temperature gpu={} celsius=99"], "critical-heat", "FAIL", "QUARANTINED", None),
        ("reboot advised", ["recovery gpu={} action=reboot"], "recovery-action", None, "QUARANTINED", None),
        ("lost", ["lost gpu={}"], "lost", "FAIL", "LOST", None),
        ("XID 79", ["xid gpu={} code=79"], "xid-79", "FAIL", "LOST", None),
        ("XID 142", ["xid gpu={} code=142"], "xid-142", "FAIL", "QUARANTINED", None),
    )

    def verdicts(self, name):
        """What each surface says of the GPU: code by surface."""
        document = json.loads(self.cli("health", "--gpu-id", name, "-o", "json").out)
        node, index = name.split("/")
        labels = f'{{node="{node}",gpu="{index}",verdict="'
        metric = next((line for line in self.metrics() if line.startswith("gpu_platform_gpu_verdict" + labels)), "")
        line = next(line for line in self.cli("status", "--all").ok().lines if re.search(rf"─{index} GPU-", line))
        return {"health": document["code"], "json": self.gpu(name)["verdict"]["code"], "metric": metric.split('code="')[-1].rstrip('"}'),
                "status": next((word.rstrip(":;") for word in line.split() if word.rstrip(":;") == document["code"]), line)}

    def test_each_way(self):
        for number, (name, lines, code, level, condition, cure) in enumerate(self.WAYS):
            with self.subTest(name):
                place = f"dgx-h100-0/{number % 8}"
                for line in lines:
                    self.inject("dgx-h100-0", line.format(number % 8))
                begin = time.monotonic()
                def is_known():
                    incidents = [one for one in self.incidents("--all") if one.get("gpu") == number % 8]
                    return incidents and (code in self.verdicts(place).values() or condition is None)
                eventually(is_known, lambda: (self.verdicts(place), self.incidents("--all")), timeout=30)
                print(f"{name}: known after {time.monotonic() - begin:.1f} s")
                incident = next(one for one in self.incidents("--all") if one.get("gpu") == number % 8)
                self.assertTrue(incident["cause"])
                if condition is not None:
                    eventually(lambda: set(self.verdicts(place).values()) == {code}, lambda: self.verdicts(place))
                    self.assertEqual(self.gpu(place)["detail"], condition)
                    if level is not None:
                        self.assertEqual(self.gpu(place)["verdict"]["level"], level)
                    # Nothing that needs all GPUs is placed.
                    job = self.cli.start("--gpus", "8", command=["true"])
                    time.sleep(0.3)
                    self.assertEqual(self.cli.job(job)["state"], "QUEUED")
                    self.cli("jobs", "cancel", job).ok()
                for line in cure or ():
                    self.inject("dgx-h100-0", line.format(number % 8))
                if condition is None or cure is not None:  # a reset is enough, or nothing
                    eventually(lambda: self.gpu(place)["verdict"]["level"] == "ok" and self.gpu(place)["detail"] == "AVAILABLE", lambda: self.gpu(place), timeout=60)
                    eventually(lambda: not [one for one in self.incidents() if one.get("gpu") == number % 8], self.incidents)
                else:
                    self.heal(number % 8)

    def heal(self, gpu):
        """As an operator would: the card is repaired, the node rebooted, and brought back online."""
        agent = self.cluster.agents[0]
        agent.stop()
        for line in ("reboot", f"temperature gpu={gpu} celsius=40", f"remap gpu={gpu} failed=no"):
            self.inject("dgx-h100-0", line)
        agent.start()
        eventually(lambda: all(one["detail"] not in ("LOST", "UNKNOWN") for _, one in self.cli.gpus()), lambda: self.gpu(f"dgx-h100-0/{gpu}"), timeout=60)
        self.cli("online", "--node", "dgx-h100-0")
        eventually(lambda: self.gpu(f"dgx-h100-0/{gpu}")["detail"] == "AVAILABLE", lambda: self.gpu(f"dgx-h100-0/{gpu}"), timeout=60)


def _parent(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


if __name__ == "__main__":
    main()
