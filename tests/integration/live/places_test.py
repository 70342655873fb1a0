#!/usr/bin/python3
"""Which controller, which files, which host: commands find what belongs to the controller in use, agents start where they may."""

import json
import os
import shutil
import signal

from live_platform import Cli, ClusterTest, eventually, main


class Places(ClusterTest):
    def own_agent(self, *flags, **extra):
        """Another agent on this machine, which finds its controller and its token by itself."""
        state = os.path.join(self.cluster.directory, "agent-own")
        process = Cli(self.cli.binary, "", extra=extra).popen(
            "agent", "--node-index", "3", "--name", "own", "--state", state, *flags, stdout=-1, stderr=-2,
            preexec_fn=self.cluster.sandbox.place("own"))
        self.addCleanup(process.stdout.close)
        return process

    def end(self, process):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), 0)

    def test_the_audit_is_that_of_the_controller_in_use(self):
        self.cli("queues", "set", "research").ok()
        trail = f"{self.cluster.state}/audit"
        eventually(lambda: self.cli.json("audit", "verify", trail)["first_at"], "the trail is written")
        named = self.cli.json("audit", "verify", trail)
        self.assertEqual(self.cli.json("audit", "verify"), named)
        self.cluster.controller.stop()
        self.assertEqual(self.cli.json("audit", "verify")["first_at"], named["first_at"], "no controller is needed")
        self.cluster.start_controller()

    def test_the_files_of_another_machine_are_not_looked_for_here(self):
        answer = self.cli.by_token("x", "127.0.0.1:1")("audit", "verify")
        self.assertNotEqual(answer.code, 0)
        self.assertIn("127.0.0.1:1", answer.err)
        checks = json.loads(self.cli.by_token("x", "127.0.0.1:1")("doctor", "-o", "json").out)["checks"]
        self.assertNotIn("state", [check["name"] for check in checks])

    def test_the_doctor_looks_at_the_state_of_the_controller_in_use(self):
        checks = json.loads(self.cli("doctor", "-o", "json").out)["checks"]
        what, = [check["what"] for check in checks if check["name"] == "state"]
        self.assertTrue(what.startswith(f"{self.cluster.state}, "), what)

    def test_an_agent_takes_the_directory_of_a_controller(self):
        agent = self.own_agent("--simulate", "dgx-h100", "--controller", self.cluster.run_directory)
        eventually(lambda: "own" in self.cluster.node_names(), "it has joined, with the token of that one")
        self.end(agent)

    def test_a_directory_without_a_controller_is_named(self):
        agent = self.own_agent("--simulate", "dgx-h100", "--controller", "/no/such/run")
        self.assertNotEqual(agent.wait(30), 0)
        self.assertIn(b"--controller: no controller has its sockets in /no/such/run", agent.stdout.read())

    def test_no_agent_hands_out_what_another_scheduler_has(self):
        self.assert_refused("Slurm's job 17 (SLURM_JOB_ID)", SLURM_JOB_ID="17")
        self.assert_refused("Slurm's job 18 (SLURM_JOBID)", SLURM_JOBID="18")
        self.assert_refused("a pod of Kubernetes (KUBERNETES_SERVICE_HOST)", KUBERNETES_SERVICE_HOST="10.0.0.1")
        self.assertEqual(self.cluster.node_names(), ["dgx-h100-0"])

    def assert_refused(self, place, **variable):
        agent = self.own_agent("--controller", self.cluster.run_directory, **variable)
        self.assertEqual(agent.wait(30), 4)
        self.assertIn(f"this process runs inside {place}: two schedulers would hand out the same GPUs", agent.stdout.read().decode())
        directory = os.path.join(self.cluster.directory, "second")
        serve = Cli(self.cli.binary, "", extra=variable)("serve", "--state", directory, "--run-dir", directory)
        self.assertEqual(serve.code, 4)
        self.assertIn(f"runs inside {place}", serve.err)

    def test_played_machines_are_no_exception_in_a_job_of_slurm(self):
        for flags in ((), ("--with-parent",)):  # it is not the flag that makes it the controller's own
            agent = self.own_agent("--simulate", "dgx-h100", "--controller", self.cluster.run_directory, *flags, SLURM_JOB_ID="17")
            self.assertEqual(agent.wait(30), 4)
            said = agent.stdout.read().decode()
            self.assertIn("this process runs inside Slurm's job 17 (SLURM_JOB_ID): two schedulers would hand out the same GPUs", said)
            self.assertIn("serve --simulate", said, "what may be done there")
        self.assertEqual(self.cluster.node_names(), ["dgx-h100-0"])

    def test_played_machines_join_from_a_pod(self):
        agent = self.own_agent("--simulate", "dgx-h100", "--controller", self.cluster.run_directory, KUBERNETES_SERVICE_HOST="10.0.0.1")
        eventually(lambda: "own" in self.cluster.node_names(), "it has joined")
        self.end(agent)

    def test_a_controller_in_a_job_of_slurm_plays_machines_of_its_own(self):
        directory = os.path.join(self.cluster.directory, "second")
        inside = Cli(self.cli.binary, f"{directory}/run", extra={"SLURM_JOB_ID": "17"})
        serve = inside.popen("serve", "--simulate", "dgx-h100:2", "--ephemeral", "--state", f"{directory}/state", "--run-dir", f"{directory}/run",
                             stdout=-1, stderr=-2, preexec_fn=self.cluster.sandbox.place("second"))
        self.addCleanup(serve.stdout.close)
        def have_joined():
            status = inside("status", "-o", "json")
            return status.code == 0 and len(status.json.get("nodes", [])) == 2
        eventually(have_joined, "its nodes join")
        self.end(serve)


class Left(ClusterTest):
    """Control groups of agents that are no more."""

    def test_the_doctor_names_what_a_killed_agent_left_and_how_to_remove_it(self):
        agent, = self.cluster.agents
        roots = self.cluster.sandbox.agent_roots()
        self.assertTrue(roots, "it has made some")
        self.assertEqual(self.left(), ("ok", ""), "it lives")
        agent.kill()
        result, fix = self.left()
        self.assertEqual(result, "WARN")
        self.assertTrue(all(root in fix for root in sorted(roots)[:3]), fix)
        agent.start()
        self.cluster.await_gpus()
        self.assertEqual(self.left(), ("ok", ""), "the next one has them")

    def left(self):
        """What is said of those of this test: others may be left by whoever used this machine."""
        checks = json.loads(self.cli("doctor", "-o", "json").out)["checks"]
        check, = [check for check in checks if check["name"] == "cgroups"]
        ours = self.cluster.sandbox.name in check["what"]
        return (check["result"], check["fix"]) if ours else ("ok", "")


class BeforeTheFirstNode(ClusterTest):
    options = {"nodes": 0}

    def test_status_says_that_none_has_joined_and_what_to_do(self):
        answer = self.cli("status").ok()
        self.assertIn("CLUSTER", answer.out)
        self.assertIn("no node has joined yet: an agent that was just started needs a few seconds; gpu-platform agent starts one", answer.err)
        self.assertNotIn("status --all", answer.err)
        self.assertEqual(self.cli("-q", "status").ok().err, "")
        self.assertEqual(self.cli.cluster().get("nodes", []), [])
        self.assert_job(self.cli.start("--gpus", "1", command=["true"]), reason="no node has joined yet", reason_code="NoNodes")


class InTmp(ClusterTest):
    def test_a_state_directory_in_tmp_is_warned_of(self):
        directory = f"/tmp/gp-places-{os.getpid()}"
        os.mkdir(directory)
        self.addCleanup(shutil.rmtree, directory)
        process = self.cli.popen("serve", "--no-agent", "--state", directory, "--run-dir", directory, stderr=-1, preexec_fn=self.cluster.sandbox.place("tmp"))
        lines = iter(process.stderr.readline, b"")
        self.assertTrue(any(b"warning: --state /tmp/" in line for line in lines))
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


if __name__ == "__main__":
    main()
