#!/usr/bin/python3
"""The rules of leases, each under the outage that it is for, with a lease of two seconds.

A gang's supervisors end it by themselves when nobody renews its lease; a job of one node runs on
through any outage and starts nowhere else until its node answers or a person declares it lost.
"""

import glob
import os
import shutil
import signal
import time

from live_platform import ClusterTest, eventually, ledger, main
from ticks import Ticks

LEASE_S = 2
# Longer than the lease and the time that the controller allows for ending (2.5 s).
OUTAGE_S = LEASE_S + 2.5 + 2


class LeaseTest(ClusterTest):
    """What the tests below are made of."""

    options = {"nodes": 3, "serve_flags": ["--lease-time", f"{LEASE_S}s"]}

    def setUp(self):
        super().setUp()
        self.ticks = Ticks(self.cluster)

    def run_gang(self):
        job = self.ticks.start(nodes=2)
        self.await_attempt(job, 1)
        eventually(lambda: self.ticks.ticks_now(job, 1, rank=1), "the second rank runs too")
        return job

    def run_single(self):
        job = self.ticks.start()
        self.await_attempt(job, 1)
        return job

    def node_of(self, job):
        return self.cli.job(job)["attempts"][-1]["ranks"][0]["node"]

    def await_attempt(self, job, attempt):
        eventually(lambda: self.ticks.ticks_now(job, attempt),
                   lambda: f"attempt {attempt} runs: {self.cli.job(job)}\n{self.cluster.logs()}")

    def await_silence(self, job, attempt):
        eventually(lambda: not any(self.ticks.ticks_now(job, attempt, rank) for rank in (0, 1)),
                   f"attempt {attempt} of {job} ends")

    def await_all_up(self):
        eventually(lambda: all(n["state"] == "UP" for n in self.cli.cluster()["nodes"]), "all nodes are up")

    def assert_runs_on(self, job):
        time.sleep(OUTAGE_S)
        self.assertTrue(self.ticks.ticks_now(job, 1))
        self.assert_job(job, attempt=1, faults=0, state="RUNNING")

    def finish(self, job, **expected):
        self.await_all_up()
        self.assertEqual(self.cli.job(job)["attempt"], expected["attempt"])
        eventually(lambda: not ledger.differences(self.cluster),
                   lambda: f"ledger and kernel agree: {ledger.differences(self.cluster)}")
        self.ticks.release()
        self.assertEqual(self.cli.wait(job), 0)
        self.assert_job(job, state="COMPLETED", **expected)
        self.assertEqual(self.ticks.overlaps(job), [], self.ticks.spans(job))


class Gangs(LeaseTest):
    def test_gang_of_a_paused_agent_ends_by_itself_and_starts_again_elsewhere(self):
        job = self.run_gang()
        agent = self.cluster.agent_of(self.node_of(job))
        agent.pause()
        eventually(lambda: not self.ticks.ticks_now(job, 1), "the supervisor ends its rank, agent or not")
        self.assertEqual(self.cli.job(job)["attempt"], 1, "nothing starts while the old attempt may live")
        self.await_attempt(job, 2)
        agent.resume()
        self.finish(job, attempt=2, faults=1)

    def test_gang_of_a_killed_agent_ends_by_itself_and_starts_again_elsewhere(self):
        job = self.run_gang()
        agent = self.cluster.agent_of(self.node_of(job))
        agent.kill()
        self.await_attempt(job, 2)
        agent.start()
        self.finish(job, attempt=2, faults=1)

    def test_gang_ends_by_itself_while_the_controller_is_paused(self):
        job = self.run_gang()
        self.cluster.controller.pause()
        self.await_silence(job, 1)
        self.cluster.controller.resume()
        self.await_attempt(job, 2)
        self.finish(job, attempt=2, faults=1)

    def test_gang_ends_by_itself_while_controller_and_agents_are_paused(self):
        job = self.run_gang()
        everyone = [self.cluster.controller, *self.cluster.agents]
        for daemon in everyone:
            daemon.pause()
        self.await_silence(job, 1)
        for daemon in everyone:
            daemon.resume()
        self.await_attempt(job, 2)
        self.finish(job, attempt=2, faults=1)

    def test_gang_lives_through_an_outage_shorter_than_its_lease(self):
        job = self.run_gang()
        for daemon in [self.cluster.controller, self.cluster.agents[0], self.cluster.agents[1]]:
            daemon.kill()
            daemon.start()
            eventually(lambda: self.cli("status").code == 0, "the controller answers")
            self.await_all_up()
        self.finish(job, attempt=1, faults=0)

    def test_restarted_controller_starts_nothing_while_old_leases_may_live(self):
        job = self.run_gang()
        agent = self.cluster.agent_of(self.node_of(job))
        agent.pause()
        self.cluster.controller.kill()
        self.cluster.start_controller()
        self.await_attempt(job, 2)
        agent.resume()
        self.finish(job, attempt=2, faults=1)


class SingleJobs(LeaseTest):
    def test_single_job_runs_on_while_its_agent_is_paused(self):
        job = self.run_single()
        agent = self.cluster.agent_of(self.node_of(job))
        agent.pause()
        self.assert_runs_on(job)
        agent.resume()
        self.finish(job, attempt=1, faults=0)

    def test_single_job_runs_on_while_its_agent_is_dead(self):
        job = self.run_single()
        agent = self.cluster.agent_of(self.node_of(job))
        agent.kill()
        self.assert_runs_on(job)
        agent.start()
        self.finish(job, attempt=1, faults=0)

    def test_single_job_runs_on_while_the_controller_is_paused(self):
        job = self.run_single()
        self.cluster.controller.pause()
        time.sleep(OUTAGE_S)
        self.assertTrue(self.ticks.ticks_now(job, 1))
        self.cluster.controller.resume()
        self.finish(job, attempt=1, faults=0)

    def test_single_job_that_ended_while_its_agent_was_dead_keeps_its_exit_code(self):
        job = self.ticks.start(exit_code=42)
        self.await_attempt(job, 1)
        agent = self.cluster.agent_of(self.node_of(job))
        agent.kill()
        self.ticks.release()
        self.await_silence(job, 1)
        agent.start()
        self.assertEqual(self.cli.wait(job), 42)
        self.assert_job(job, attempt=1, faults=0, state="FAILED")

    def test_single_job_that_asks_for_it_ends_with_its_lease(self):
        job = self.ticks.start("--on-lease-loss", "stop")
        self.await_attempt(job, 1)
        agent = self.cluster.agent_of(self.node_of(job))
        agent.pause()
        self.await_silence(job, 1)
        self.await_attempt(job, 2)
        agent.resume()
        self.finish(job, attempt=2, faults=1)


class LostNodes(LeaseTest):
    def test_job_of_a_lost_node_starts_elsewhere_only_after_declare_lost(self):
        job = self.run_single()
        node = self.node_of(job)
        self.assertEqual(self.cli("nodes", "declare-lost", "--force", node).code, 4, "it answers")
        self.cluster.agent_of(node).kill()
        self.assert_runs_on(job)
        self.assertEqual(self.cluster.node_state(node), "LOST")
        self.assertEqual(self.cli("nodes", "declare-lost", node).code, 2, "needs --force")
        self.cli("nodes", "declare-lost", "--force", "--reason", "unplugged", node).ok()
        self.await_attempt(job, 2)
        self.assertNotEqual(self.node_of(job), node)
        # It was unplugged in name only: what is left there ends as soon as the agent is back.
        self.assertTrue(self.ticks.ticks_now(job, 1))
        self.cluster.agent_of(node).start()
        self.await_silence(job, 1)
        self.assertTrue(self.ticks.ticks_now(job, 2))
        eventually(lambda: not ledger.differences(self.cluster), "only the second attempt is left")
        self.ticks.release()
        self.assertEqual(self.cli.wait(job), 0)
        self.assert_job(job, attempt=2, faults=1)

    def test_order_from_before_declare_lost_is_not_carried_out(self):
        victim, *others = self.cluster.node_names()
        for node in others:
            self.cli("drain", "--node", node).ok()
        agent = self.cluster.agent_of(victim)
        agent.pause()  # from now on orders wait in its socket
        job = self.ticks.start()
        self.assert_job(job, attempt=1)
        eventually(lambda: self.cluster.node_state(victim) == "LOST", "the node is lost")
        self.cli("nodes", "declare-lost", "--force", victim).ok()
        for node in others:
            self.cli("online", "--node", node)
        self.await_attempt(job, 2)
        agent.resume()
        self.await_all_up()
        self.ticks.release()
        self.assertEqual(self.cli.wait(job), 0)
        self.assertEqual(set(self.ticks.spans(job)), {(2, 0)}, "the first attempt never ran")

    def test_paused_agent_that_comes_back_after_declare_lost_ends_what_is_left(self):
        job = self.run_single()
        node = self.node_of(job)
        agent = self.cluster.agent_of(node)
        agent.pause()
        eventually(lambda: self.cluster.node_state(node) == "LOST", "the node is lost")
        self.cli("nodes", "declare-lost", "--force", node).ok()
        self.await_attempt(job, 2)
        agent.resume()
        self.await_silence(job, 1)
        self.assertTrue(self.ticks.ticks_now(job, 2))
        eventually(lambda: not ledger.differences(self.cluster), "only the second attempt is left")
        self.ticks.release()
        self.assertEqual(self.cli.wait(job), 0)

    def test_agent_that_lost_its_memory_ends_what_it_finds(self):
        job = self.run_single()
        node = self.node_of(job)
        agent = self.cluster.agent_of(node)
        agent.kill()
        shutil.rmtree(self.cluster.agent_state(self.cluster.agents.index(agent)))
        agent.start()
        self.await_attempt(job, 2)
        self.finish(job, attempt=2, faults=1)


class LostSupervisors(LeaseTest):
    def test_job_of_a_killed_supervisor_ends_and_is_started_again(self):
        job = self.run_single()
        ((lease, (pid,)),) = ledger.supervisors(self.cluster.sandbox).items()
        self.assertEqual(ledger.names(self.cluster.sandbox)[lease], (job, 1, 0))
        os.kill(pid, signal.SIGKILL)
        self.await_attempt(job, 2)
        self.finish(job, attempt=2, faults=1)

    def test_job_of_a_supervisor_killed_while_its_agent_was_dead_is_started_again(self):
        job = self.run_single()
        agent = self.cluster.agent_of(self.node_of(job))
        agent.kill()
        ((_, (pid,)),) = ledger.supervisors(self.cluster.sandbox).items()
        os.kill(pid, signal.SIGKILL)
        agent.start()
        self.await_attempt(job, 2)
        self.finish(job, attempt=2, faults=1)


class LostJournals(LeaseTest):
    """A controller that forgot everything gives the same numbers to other jobs and leases."""

    def lose_journal(self):
        for path in glob.glob(os.path.join(self.cluster.state, "journal*")):
            os.remove(path)

    def test_jobs_of_a_lost_journal_end_before_others_get_their_numbers(self):
        old = self.run_single()
        self.cluster.controller.kill()
        self.lose_journal()
        self.cluster.start_controller()
        self.await_silence(old, 1)
        self.cluster.await_gpus()
        self.assertEqual(self.cli.jobs(), [])
        eventually(lambda: not self.cluster.sandbox.leases(), "nothing of the old journal is held")
        new = self.cli.start("--gpus", 1, command=["sh", "-c", "echo of the new journal"])
        self.assertEqual(new, old)
        self.assertEqual(self.cli.wait(new), 0)
        self.assertEqual(self.cli("jobs", "logs", new).out, "of the new journal\n")

    def test_journal_lost_while_an_agent_was_dead(self):
        old = self.run_single()
        agent = self.cluster.agent_of(self.node_of(old))
        agent.kill()
        self.cluster.controller.kill()
        self.lose_journal()
        self.cluster.start_controller()
        self.assertTrue(self.ticks.ticks_now(old, 1))  # by its supervisor alone
        agent.start()
        self.await_silence(old, 1)
        self.cluster.await_gpus()
        eventually(lambda: not ledger.differences(self.cluster), "ledger and kernel agree")


if __name__ == "__main__":
    main()
