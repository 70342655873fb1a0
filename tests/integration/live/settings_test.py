#!/usr/bin/python3
"""Settings of a controller and an agent from files, drop-ins, the environment and flags."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import jsonschema
import yaml

import live_platform.case
from live_platform import Cli, eventually, main

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../data/schema")


class Settings(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="gp-test-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, self.directory)
        self.run_directory = self.path("run")
        self.cli = Cli(live_platform.case.binary, self.run_directory)
        self.write("controller.yaml", f"state: {self.path('state')}\nrun_dir: {self.run_directory}\nsimulate: dgx-h100\n"
                                      "policy:\n  min_run: 3m\n")

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def command(self, *words, environment=None, **more):
        return subprocess.run([live_platform.case.binary, *words], capture_output=True, text=True, check=False,
                              env=dict(os.environ, **(environment or {})), **more)

    def serve(self, *words, environment=None):
        controller = subprocess.Popen([live_platform.case.binary, "serve", "--config", self.path("controller.yaml"), *words],
                                      stderr=subprocess.PIPE, text=True, env=dict(os.environ, **(environment or {})))
        self.addCleanup(controller.stderr.close)
        self.addCleanup(controller.wait)
        self.addCleanup(controller.terminate)
        eventually(lambda: os.path.exists(os.path.join(self.run_directory, "http.sock")), "the controller runs")
        return controller

    def running(self):
        return json.loads(self.cli("config", "running", "-o", "json").ok().out)

    def test_each_layer_covers_those_below_it(self):
        self.write("conf.d/10-site.yaml", "keep_journal: 30d\npolicy: {moves_per_hour: 7}\n")
        self.serve("--lease-time", "42s", environment={"GPU_PLATFORM_KEEP_JOURNAL": "40d"})
        values = {one["key"]: (one["value"], one["origin"]) for one in self.running()["values"]}
        self.assertEqual(values["lease_time"], ("42s", "--lease-time"))
        self.assertEqual(values["keep_journal"], ("40d", "GPU_PLATFORM_KEEP_JOURNAL"))
        self.assertEqual(values["simulate"], ("dgx-h100", self.path("controller.yaml") + ":3"))
        self.assertEqual(values["agent.service_user"], ("gpu-job", "built in"))
        numbers = {one["name"]: one["value"] for one in self.running()["numbers"]}
        self.assertEqual((numbers["min_run"], numbers["moves_per_hour"]), ("3m", "7"))
        eventually(lambda: len(self.cli.gpus()) == 8, "the simulated node joins, with the settings of its controller")

    def test_a_reload_applies_the_policy_and_names_what_needs_a_restart(self):
        self.serve()
        self.write("conf.d/site.yaml", "policy: {min_run: 4m}\nkeep_journal: 30d\n")
        reply = json.loads(self.cli("config", "reload", "-o", "json").ok().out)
        self.assertEqual(reply["changes"], ["min_run: 3m -> 4m"])
        self.assertEqual(reply["needs_restart"], ["keep_journal: 0s -> 30d"])
        self.write("conf.d/site.yaml", "polcy: {}\n")
        refused = self.cli("config", "reload")
        self.assertEqual(refused.code, 2)
        self.assertIn("conf.d/site.yaml:1:1: there is no setting \"polcy\"", refused.err)
        numbers = {one["name"]: one["value"] for one in self.running()["numbers"]}
        self.assertEqual(numbers["min_run"], "4m", "a wrong file changes nothing")

    def test_a_wrong_file_does_not_start(self):
        self.write("controller.yaml", "lisen: {}\nlease_time: 10\n")
        refused = self.command("serve", "--config", self.path("controller.yaml"))
        self.assertEqual(refused.returncode, 2)
        self.assertIn("controller.yaml:1:1: there is no setting \"lisen\"; did you mean \"listen\"?", refused.stderr)
        self.assertIn("controller.yaml:2:13: lease_time: \"10\" has no unit", refused.stderr)
        missing = self.command("agent", "--config", self.path("agent.yaml"))
        self.assertEqual(missing.returncode, 2)
        self.assertIn("agent.yaml:1:1: cannot be read", missing.stderr)

    def test_what_show_prints_is_the_same_settings(self):
        shown = self.command("config", "show", "--config", self.path("controller.yaml"), "--origin")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn(f"# {self.path('controller.yaml')}:5", shown.stdout)
        self.write("again.yaml", shown.stdout)
        again = self.command("config", "show", "--config", self.path("again.yaml"))
        first = self.command("config", "show", "--config", self.path("controller.yaml"))
        self.assertEqual(again.stdout.split("\n", 1)[1], first.stdout.split("\n", 1)[1])

    def test_the_schemas_accept_what_is_accepted(self):
        with open(os.path.join(SCHEMAS, "controller.v1.json"), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        shown = self.command("config", "show", "--config", self.path("controller.yaml")).stdout
        self.assertEqual(json.loads(self.command("config", "schema").stdout), schema)
        jsonschema.validate(yaml.safe_load(shown), schema)
        for wrong in ({"lisen": {}}, {"lease_time": 10}, {"listen": {"tls": "yes"}}, {"log": "xml"}, {"policy": {"min_rum": "3m"}}):
            self.assertRaises(jsonschema.ValidationError, jsonschema.validate, wrong, schema)

    def test_init_writes_what_serve_and_agent_read(self):
        token, far = self.path("state/join-token"), self.path("far/agent.yaml")
        self.write("far/x", "")
        written = self.command("init", "--yes", "--force", "--config", self.path("controller.yaml"), "--state", self.path("state"), "--run-dir",
                               self.run_directory, "--listen", "127.0.0.1:0", "--http", "none", "--simulate", "dgx-h100")
        self.assertEqual(written.returncode, 0, written.stderr)
        self.assertIn("--controller 127.0.0.1:0 --authority sha256:", written.stdout)
        controller = self.serve()
        line = next(line for line in controller.stderr if "agents at port" in line)
        port = re.search(r"agents at port (\d+)", line)[1]
        authority = written.stdout.split("--authority ")[1].split()[0]
        with open(token, encoding="utf-8") as file:
            joined = self.command("init", "agent", "--config", far, "--controller", f"127.0.0.1:{port}", "--authority", authority, "--state",
                                  self.path("far/state"), "--simulate", "dgx-h100", "--node-index", "1", "--name", "far",
                                  "--join-token-file", "-", stdin=file)
        self.assertEqual(joined.returncode, 0, joined.stderr)
        self.assertEqual(os.stat(self.path("far/join-token")).st_mode & 0o777, 0o600)
        again = self.command("init", "agent", "--config", far)
        self.assertEqual(again.returncode, 4, "it replaces no file")
        with open(token, encoding="utf-8") as file:
            wrong = self.command("init", "agent", "--force", "--config", far, "--authority", "sha256:typo", "--join-token-file", "-", stdin=file)
        self.assertEqual(wrong.returncode, 2)
        with open(far, encoding="utf-8") as file:
            self.assertIn(authority, file.read(), "what is wrong changes nothing")
        agent = subprocess.Popen([live_platform.case.binary, "agent", "-q", "--config", far])
        self.addCleanup(agent.wait)
        self.addCleanup(agent.terminate)
        eventually(lambda: len(self.cli.gpus()) == 16, "both nodes have joined")

    def test_init_opens_no_port_for_other_machines_unasked(self):
        written = self.command("init", "--yes", "--config", self.path("own.yaml"), "--state", self.path("state"))
        self.assertIn("accepts no other nodes", written.stdout)
        shown = json.loads(self.command("config", "show", "--config", self.path("own.yaml"), "-o", "json").stdout)
        values = {one["key"]: one["value"] for one in shown["settings"]}
        self.assertEqual((values["listen.grpc"], values["listen.http"]), ("", "127.0.0.1:8080"))

    def test_init_says_what_a_profile_would_say_otherwise(self):
        os.mkdir(self.path("own"), 0o700)
        self.command("init", "--yes", "--profile", "development", "--config", self.path("own/c.yaml"), "--state", self.path("state"), "--listen", "none",
                     "--http", "none", "--lease-time", "1500ms")
        self.assertEqual(os.stat(self.path("own")).st_mode & 0o777, 0o700)
        shown = json.loads(self.command("config", "show", "--config", self.path("own/c.yaml"), "-o", "json").stdout)
        values = {one["key"]: one["value"] for one in shown["settings"]}
        self.assertEqual((values["listen.http"], values["log"], values["lease_time"]), ("", "text", "1s500ms"))

    def test_no_file_leaves_out_the_environment_too(self):
        alone = self.command("serve", "--config", "none", "--state", "relative/../x", "--light", environment={"GPU_PLATFORM_SIMULATE": "dgx-h100"})
        self.assertIn("light: requires simulate", alone.stderr)

    def test_validate_tells_settings_and_policies_apart(self):
        self.write("policy.yaml", "min_run: 3m\n")
        self.write("agent.yaml", "controllers: [c1]\n")
        for name, code, text in (("controller.yaml", 0, "sound"), ("policy.yaml", 0, "sound"), ("agent.yaml", 2, "has no port")):
            checked = self.command("config", "validate", self.path(name))
            self.assertEqual(checked.returncode, code, name)
            self.assertIn(text, checked.stdout + checked.stderr, name)


if __name__ == "__main__":
    main()
