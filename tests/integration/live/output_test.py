#!/usr/bin/python3
"""Every command with -o json against docs/reference/output.json, standard output pure, and without colour."""

import json
import os
import pathlib
import tempfile

import jsonschema
from live_platform import ClusterTest, eventually, main

ROOT = pathlib.Path(__file__).parents[3]
OUTPUT = json.loads((ROOT / "docs/reference/output.json").read_text(encoding="utf-8"))
CONTRACT = json.loads((ROOT / "docs/reference/openapi.json").read_text(encoding="utf-8"))


def resolved(schema):
    """References into the contract as those into one document."""
    if isinstance(schema, dict):
        return {key: value.replace("openapi.json#", "#") if key == "$ref" else resolved(value) for key, value in schema.items()}
    return [resolved(one) for one in schema] if isinstance(schema, list) else schema


def validator(command):
    return jsonschema.Draft202012Validator({**resolved(OUTPUT["commands"][command]), "components": CONTRACT["components"]})


# Those whose documents have been seen; the last test counts.
checked = set()


class Base(ClusterTest):
    def setUp(self):
        super().setUp()
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def check(self, command, *words, codes=(0,), input=None):
        """The command's document is one, and of its schema."""
        answer = self.cli(*command.split(), "-o", "json", *words, input=input)
        with self.subTest(command, words=words):
            self.assertIn(answer.code, codes, answer)
            validator(command).validate(json.loads(answer.out))
            self.assertNotIn("\x1b", answer.out)
            checked.add(command)
        return json.loads(answer.out) if answer.out else {}

    def scratch(self, name, text):
        path = os.path.join(self.directory.name, name)
        pathlib.Path(path).write_text(text, encoding="utf-8")
        return path


class Output1(Base):
    options = {"machine": "dgx-h100", "nodes": 2}

    def test_every_document(self):
        check = self.check
        [first] = check("run", "-d", "--gpus", "1", "--", "sleep", "60")["job_ids"]
        eventually(lambda: self.cli.job(first)["state"] == "RUNNING", "it runs")
        check("run", "--plan", "--gpus", "1", "--", "true")
        check("jobs run", "-d", "--gpus", "8", "--nodes", "2", "--", "sleep", "60")
        file = self.scratch("job.yaml", "name: a\nrun: sleep 60\nresources: {gpus: 1}\n")
        [third] = check("jobs submit", file)["job_ids"]
        check("jobs submit", file, "--plan")
        waiting = "job-2"
        check("jobs list")
        check("jobs list", "--all")
        check("jobs describe", first)
        check("jobs explain", waiting)
        for change in ("hold", "release"):
            check(f"jobs {change}", waiting)
        check("jobs priority", waiting, "400")
        check("jobs report", first)
        check("jobs metrics", first)
        [limited] = check("run", "-d", "--time-limit", "1h", "--", "sleep", "60")["job_ids"]
        check("jobs extend", limited, "--by", "1h")
        check("jobs kill", limited)
        check("jobs cancel", waiting)
        check("jobs wait", waiting, codes=(130,))
        check("jobs kill", third)
        eventually(lambda: self.cli.job(third)["state"] == "CANCELLED", "it is gone")
        [again] = check("jobs retry", third)["job_ids"]
        check("jobs kill", again)
        for command in ("status", "gpus list", "gpus free", "nodes list", "topology", "queues list", "pools", "quotas", "reservations list", "defrag plan", "defrag apply",
                        "incidents list", "whoami", "roles list", "tokens list", "usage", "cost report", "cost analysis", "budget list", "doctor", "version", "xid list",
                        "faults policy show", "audit list", "explain schema", "config running"):
            check(command, codes=(0, 9) if command == "doctor" else (0,))
        check("health", "--gpu-id", "dgx-h100-0/0", codes=(0, 9))
        check("watch", "--once")
        check("reset", "--gpu-id", "dgx-h100-1/6", "--reason", "test")
        for command in ("drain", "offline"):
            check(command, "--gpu-id", "dgx-h100-1/7", "--reason", "test")
        check("online", "--gpu-id", "dgx-h100-1/7")
        check("nodes describe", "dgx-h100-1")
        check("nodes pool", "dgx-h100-1", "default")
        check("nodes label", "dgx-h100-1", "rack=a")
        check("queues set", "research")
        [held] = check("run", "-d", "--gpus", "8", "--nodes", "9", "--wait-for-nodes", "--", "true")["job_ids"]
        check("jobs move", held, "--queue", "research")
        check("jobs cancel", held)
        check("budget set", "--queue", "research", "--gpu-hours", "5")
        check("budget delete", "--queue", "research")
        check("queues delete", "research")
        check("reservations create", "course", "--count", "1", "--start", "+2h", "--duration", "1h", "--users", "root")
        check("reservations delete", "course")
        check("secrets set", "KEY", input=b"word")
        check("secrets list")
        check("secrets delete", "KEY")
        check("config reload")
        check("admin controllers list")
        check("roles grant", "ana", "viewer")
        check("roles revoke", "ana")
        token = check("tokens create", "ci")["token"]["id"]
        check("tokens revoke", token)
        check("nodes join-token", "n9")
        check("explain error", "GP1009")
        check("explain field", "job.resources")
        check("xid explain", "79")
        policy = self.scratch("policy.yaml", "min_run: 5m\n")
        check("faults policy check", "--policy", policy)
        check("faults policy simulate", "48", "63@3s")
        check("cost break-even", "--purchase", "10", "--own-monthly", "1", "--rented-monthly", "2")
        check("simulate scenario", str(ROOT / "examples/scenarios/lost-node.yaml"))


class Output2(Base):
    """Where something is the matter, and where no controller is needed."""

    options = {"machine": "dgx-h100", "nodes": 2, "serve_flags": ("--lease-time", "1s")}
    settles = False  # one of its nodes is gone

    def test_what_is_the_matter(self):
        self.check("bench submit")
        self.check("bench jobs")
        with open(os.path.join(self.cluster.agent_state(0), "faults"), "a", encoding="utf-8") as control:
            control.write("xid gpu=3 code=79\n")
        eventually(lambda: self.cli("incidents", "list", "-o", "json").json.get("incidents"), "there is an incident")
        self.check("images list")
        self.check("incidents list")
        for command in ("show", "ack", "close"):
            self.check(f"incidents {command}", "incident-1")
        self.cluster.agents[1].kill()
        eventually(lambda: self.cluster.node_state("dgx-h100-1") != "UP", "the node is missed")
        self.check("nodes declare-lost", "dgx-h100-1", "--force")
        archive = (f"file://{self.directory.name}/archive", "--key", f"{self.directory.name}/key")
        self.check("admin dr make-key", archive[-1])
        os.mkdir(f"{self.directory.name}/archive")
        self.cluster.controller.stop()
        self.cluster.controller.words += ["--archive", archive[0], "--archive-key", archive[-1]]
        self.cluster.start_controller()
        self.check("admin dr status")
        self.check("admin backup", f"{self.directory.name}/backup")
        self.cluster.stop()
        self.check("admin restore", f"{self.directory.name}/backup", "--state", f"{self.directory.name}/state")
        self.check("admin controllers join", f"{self.directory.name}/backup", "--state", f"{self.directory.name}/another")
        with open(f"{self.directory.name}/another/shared-log", "w") as mark:
            mark.write("default\n")  # as if it had followed the log
        self.check("admin controllers adopt-local", "--state", f"{self.directory.name}/another", "--others-stopped")
        self.check("admin dr verify", *archive)
        self.check("admin dr restore", *archive, "--state", f"{self.directory.name}/third")
        self.check("audit verify", f"{self.cluster.state}/audit")
        self.check("replay", f"{self.cluster.state}/journal.db")
        self.check("replay", f"{self.cluster.state}/journal.db", "--verify")

    def test_what_needs_no_controller(self):
        self.check("simulate world")
        policy = self.scratch("policy.yaml", "min_run: 5m\nplacement: {web: {spread: 1}, '*': {numa: 2}}\nxids: {109: {job: note, gpu: count}}\n"
                              "prices: {currency: EUR, rules: [{model: H100, label: {purchase: spot}, per_gpu_hour: 1.25, watts: 700}]}\n")
        self.check("config validate", policy)
        shown = self.check("config show", "--policy", policy)
        again = self.scratch("again.yaml", self.cli("config", "show", "--policy", policy).ok().out)
        self.assertEqual(self.check("config show", "--policy", again), {**shown, "files": [again], "policy": {**shown["policy"], "file": again}}, "what is shown is a file that says the same")
        self.assertEqual({one["name"] for one in shown["policy"]["numbers"] if one["value"] != one["built_in"]}, {"min_run"})
        receivers = self.scratch("notify.yaml", "receivers: [{name: bot, on: [job_ended, 'incident_*'], where: {state: [FAILED]}, exec: /bin/true}]\n")
        self.check("notify check", receivers)
        self.check("notify test", receivers, "bot")
        self.check("jobs import", self.scratch("train.sbatch", "#!/bin/sh\n#SBATCH --nodes=2 --partition=gpu\nsrun true\n"))


class Output3(ClusterTest):
    """Last: what there is in all."""

    options = {"nodes": 1}

    def leaves(self):
        found = []

        def walk(command):
            for child in command["subcommands"]:
                walk(child)
            if not command["subcommands"]:
                found.append(command["command"].removeprefix("gpu-platform "))

        walk(json.loads(self.cli("__commands").ok().out))
        return found

    def test_every_command_is_told_of(self):
        told = OUTPUT["commands"].keys() | OUTPUT["without"].keys()
        self.assertEqual(sorted(set(self.leaves()) ^ told), [])
        for command in OUTPUT["commands"]:
            jsonschema.Draft202012Validator.check_schema(resolved(OUTPUT["commands"][command]))
        # Nodes have certificates only where connections are encrypted: live_tls.
        self.assertEqual(sorted(set(OUTPUT["commands"]) - checked - {
            "nodes revoke", "admin controllers raise-format", "admin controllers remove", "admin controllers step-down"}), [])


if __name__ == "__main__":
    main()
