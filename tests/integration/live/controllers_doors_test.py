#!/usr/bin/python3
"""Standbys pass clients on to the leader, and operators see and change who leads."""

import json
import os
import re
import urllib.request

from controllers_test import SharedTest
from live_platform import Cli, eventually, main

CONFLICT = 4


class Doors(SharedTest):
    options = {"nodes": 2, "controllers": 3, "serve_flags": ("--listen", "127.0.0.1:0", "--http", "127.0.0.1:0")}

    def setUp(self):
        super().setUp()
        self.standbys = [one for one in self.cluster.controllers if one is not self.first]
        self.token = self.cli.json("tokens", "create", "far")["secret"]

    def grpc(self, controller):
        return Cli(self.cli.binary, f"127.0.0.1:{self.cluster.port_of(controller, 'gRPC')}",
                   extra={"GPU_PLATFORM_TOKEN": self.token})

    def get(self, controller, path):
        address = f"http://127.0.0.1:{self.cluster.port_of(controller, 'HTTP')}{path}"
        request = urllib.request.Request(address, headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def names(self, role):
        return [one["name"] for one in self.cli.json("admin", "controllers", "list")["controllers"] if one["role"] == role]

    def test_a_standby_is_as_good_an_address_as_the_leader(self):
        for standby in self.standbys:
            cli = self.grpc(standby)
            job = cli.start("--gpus", "1", command=["sh", "-c", "echo line; sleep 1; echo end"])
            self.assertEqual(cli("jobs", "logs", "-f", job).ok().out.split(), ["line", "end"])
            self.assertEqual(cli.wait(job), 0)
            self.assertEqual(self.get(standby, f"/api/v1/jobs/{job}")["state"], "COMPLETED")
        # Who one is stays between oneself and the leader.
        stranger = Cli(self.cli.binary, f"127.0.0.1:{self.cluster.port_of(self.standbys[0], 'gRPC')}",
                       extra={"GPU_PLATFORM_TOKEN": "gpt_" + "0" * 64})
        self.assertNotEqual(stranger("jobs", "list").code, 0)

    def test_a_new_leader_has_the_address_that_its_relay_had(self):
        standby_ports = {one: self.cluster.port_of(one, "gRPC") for one in self.standbys}
        self.first.kill()
        second = self.cluster.await_leader(other_than=self.first)
        self.assertEqual(self.cluster.port_of(second, "gRPC"), standby_ports[second])
        third = next(one for one in self.standbys if one is not second)
        eventually(lambda: self.grpc(third)("status").code == 0, "the other standby has the new leader")

    def test_a_standby_that_could_take_over_is_counted(self):
        eventually(lambda: "gpu_platform_standbys 2\n" in self.cli("metrics").ok().out, "both are counted")
        self.standbys[0].kill()
        eventually(lambda: "gpu_platform_standbys 1\n" in self.cli("metrics").ok().out, "one is left", timeout=60)

    def test_the_leader_is_listed_and_steps_down(self):
        eventually(lambda: (self.names("leader"), self.names("standby")) == (["c1"], ["c2", "c3"]), "all are listed")
        eventually(lambda: re.search(r"^LEADER +c1, term \d+; standbys c2, c3$", self.cli("status").ok().out, re.M), "status tells", timeout=30)
        text = self.cli("admin", "controllers", "list").ok().out
        self.assertRegex(text, r"c1 +leader .*127\.0\.0\.1:\d+")
        term = self.cli.json("admin", "controllers", "list")["term"]
        self.cli("admin", "controllers", "step-down").ok()
        second = self.cluster.await_leader(other_than=self.first)
        eventually(lambda: not self.first.runs(), "its process ends")
        self.assertEqual(self.first.exit_code(), CONFLICT)
        self.assertGreater(int(self.cli.json("admin", "controllers", "list")["term"]), int(term))
        self.assertIn(self.names("leader"), (["c2"], ["c3"]))
        done = [one for one in self.cli.json("audit", "list")["entries"] if one["operation"] == "StepDown"]
        self.assertEqual(len(done), 1)
        # One that is gone is forgotten on request; one that lives is not.
        self.assertEqual(self.cli("admin", "controllers", "remove", self.names("leader")[0]).code, CONFLICT)
        eventually(lambda: self.names("silent") == ["c1"], "it is silent", timeout=60)
        self.cli("admin", "controllers", "remove", "c1").ok()
        self.assertEqual(self.names("silent"), [])
        third = next(one for one in self.standbys if one is not second)
        third.stop()
        eventually(lambda: self.names("standby") == [], "it is silent", timeout=60)
        self.assertEqual(self.cli("admin", "controllers", "step-down").code, CONFLICT, "there is no standby")
        self.assertTrue(second.runs())


class Encrypted(SharedTest):
    options = {"nodes": 1, "controllers": 2, "serve_flags": ("--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--tls")}

    def test_encryption_goes_from_the_client_to_the_leader(self):
        standby = self.cluster.controllers[1]
        authority = re.search(r"sha256:[0-9a-f]{64}", self.first.text()).group(0)
        token = self.cli.json("tokens", "create", "far")["secret"]
        far = Cli(self.cli.binary, f"127.0.0.1:{self.cluster.port_of(standby, 'gRPC')}",
                  extra={"GPU_PLATFORM_TOKEN": token, "GPU_PLATFORM_AUTHORITY": authority})
        self.assertEqual(far.json("whoami")["user"], "root")


class Files(SharedTest):
    """What is not in the journal."""
    options = {"nodes": 1, "controllers": 2}

    def test_a_secret_that_was_set_outlives_the_leader(self):
        self.cli("secrets", "set", "KEPT", input=b"one").ok()
        self.cli("secrets", "set", "GONE", input=b"two").ok()
        self.cli("secrets", "delete", "GONE").ok()
        self.first.kill()
        second = self.cluster.await_leader(other_than=self.first)
        self.assertEqual([one["name"] for one in self.cli.json("secrets", "list")["secrets"]], ["KEPT"])
        self.cluster.await_gpus()
        job = self.cli.start("--gpus", "1", "--secret", "KEPT", command=["sh", "-c", "echo $KEPT"])
        self.assertEqual(self.cli("jobs", "logs", "-f", job).ok().out.split(), ["one"])
        # A change that the controller which is down has missed reaches it before it leads again.
        self.cli("secrets", "delete", "KEPT").ok()
        self.first.start()
        self.cluster.await_standby(self.first)
        second.stop()
        self.cluster.await_leader(other_than=second)
        self.assertEqual(self.cli.json("secrets", "list").get("secrets", []), [])

    def test_a_shared_state_does_not_begin_alone(self):
        second = self.cluster.controllers[1]
        second.stop()
        at = second.words.index("--store")
        alone = self.cluster._daemon("alone", *second.words[1:at])
        alone.start()
        eventually(lambda: not alone.runs(), "it ends")
        self.assertEqual(alone.exit_code(), CONFLICT)
        self.assertIn("is of one of several controllers", alone.text())

    def test_a_controller_joins_from_a_backup(self):
        backup = os.path.join(self.cluster.directory, "backup")
        self.cli("admin", "backup", backup).ok()
        third = self.cluster.another(3)
        state, _ = self.cluster.places[third]
        self.assertIn("a standby's", Cli(self.cli.binary, "/nowhere")("admin", "controllers", "join", backup, "--state", state).ok().out)
        queue = self.cli("queues", "set", "made-later").ok()
        self.cluster.controllers.append(third.start())
        self.cluster.await_standby(third)
        self.cluster.controllers[1].stop()
        self.first.stop()
        self.cluster.await_leader(other_than=self.first)
        self.assertIn("made-later", self.cli("queues", "list").ok().out, queue)
        self.cluster.controllers[1].start()

    def test_a_controller_with_other_files_is_refused(self):
        second = self.cluster.controllers[1]
        second.stop()
        state, _ = self.cluster.places[second]
        with open(f"{state}/join-token", "w", encoding="ascii") as file:
            file.write("another\n")
        second.start()
        eventually(lambda: not second.runs(), "it ends")
        self.assertIn("the file join-token of this controller's state directory is not that of the cluster", second.text_of_run())
        self.assertEqual(second.exit_code(), CONFLICT)


if __name__ == "__main__":
    main()
