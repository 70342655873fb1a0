#!/usr/bin/python3
"""kill -9 of controller and agents under load: nothing acknowledged is lost, doubled or stuck.

GP_KILLS   how many (default 12; 200 for a thorough run)
GP_SEED    another order of events
"""

import os
import random
import sys
import time

from live_platform import ClusterTest, eventually, ledger, main
from load import Kind, Load
from witness import Witness

KILLS = int(os.environ.get("GP_KILLS", "12"))
SEED = int(os.environ.get("GP_SEED", "1"))
LONG_JOBS = 4
LONG_ENDS = {1: (41, "FAILED"), 2: (0, "COMPLETED")}


class Kills(ClusterTest):
    # Outages here are shorter than the lease, so even gangs live through them.
    options = {"nodes": 2, "serve_flags": ["--lease-time", "10s"]}

    def test_nothing_is_lost_doubled_or_stuck(self):
        self.random = random.Random(SEED)
        self.load = Load(self.cluster, random.Random(SEED + 1))
        self.release = os.path.join(self.cluster.shared, "release")
        long = [self.start_long(number) for number in range(LONG_JOBS)]
        watchers = self.watchers(long)
        witness = Witness(self.cluster.sandbox)
        witness.start()
        self.load.start()
        try:
            counts = self.kill_at_random()
            self.load.stop()
            self.revive()
            self.await_load(long)
        finally:
            self.load.stop()
            witness.stop()
        self.assertEqual(witness.conflicts, [], "a GPU was held twice")
        self.assertEqual(self.watchers(long), watchers, "they went on untouched")
        self.assertEqual(ledger.differences(self.cluster), [])
        self.release_long(long)
        again = self.check_traces()
        self.check_repeated_requests()
        sys.stderr.write(f"seed {SEED}: {counts} kills, {len(self.load.acknowledged)} jobs, "
                         f"{self.load.submits} submits, {again} attempts lost, "
                         f"{witness.looks} looks at who holds which GPU\n")

    def start_long(self, number):
        nodes = 1 + number % 2  # of a gang, the first rank that fails would end the others
        kind = Kind("long", nodes, 1, ("until", self.release), *LONG_ENDS[nodes])
        job = self.load.submit(kind, f"long-{number}")
        # Not the state, which users see as RUNNING from the placement on.
        eventually(lambda: self.cli.job(job)["detail"] == "RUNNING", f"{job} runs")
        return job

    def watchers(self, jobs):
        """Attempt -> pid of its supervisor, for the ranks of these jobs."""
        pids = ledger.supervisors(self.cluster.sandbox)
        return {name: pids[lease] for lease, name in ledger.names(self.cluster.sandbox).items()
                if name[0] in jobs}

    def kill_at_random(self):
        counts = {"controller": 0, "agent": 0, "both": 0, "all": 0}
        for _ in range(KILLS):
            time.sleep(self.random.uniform(0, 1.2))
            what = self.random.choice(sorted(counts))
            agent = self.random.choice(self.cluster.agents)
            victims = {"controller": [self.cluster.controller], "agent": [agent],
                       "both": [self.cluster.controller, agent],
                       "all": [self.cluster.controller, *self.cluster.agents]}[what]
            self.random.shuffle(victims)
            for victim in victims:
                victim.kill()
            counts[what] += 1
            time.sleep(self.random.uniform(0, 0.5))
            for victim in victims:
                victim.start()
        return counts

    def revive(self):
        daemons = [self.cluster.controller, *self.cluster.agents]
        self.assertTrue(all(daemon.runs() for daemon in daemons), self.cluster.logs())
        eventually(lambda: self.cli("status").code == 0, "the controller answers")
        self.cluster.await_gpus()

    def await_load(self, long):
        eventually(lambda: {job["id"] for job in self.cli.jobs()} == set(long),
                   lambda: f"all jobs end but the long ones: {self.cli.jobs()}", timeout=120, interval=0.2)

    def release_long(self, long):
        with open(self.release, "w"):
            pass
        for job in long:
            self.assertEqual(self.cli.wait(job), self.load.acknowledged[job][0].exit_code)

    def check_traces(self):
        traces = self.load.traces()
        jobs = {job["id"] for job in self.cli.jobs("--all")}
        self.assertEqual(jobs, set(self.load.acknowledged), "none more, none less")
        self.assertEqual([trace for trace, times in traces.items() if times > 1], [], "ran twice")
        again = sum(self.check_job(job, kind, traces) for job, (kind, _) in self.load.acknowledged.items())
        # Only an agent killed between writing an attempt down and starting its supervisor costs one.
        self.assertLessEqual(again, KILLS)
        self.assertEqual(sum(traces.values()), 0, f"of no known attempt: {+traces}")
        return again

    def check_job(self, job, kind, traces):
        """The job ended as its kind does; takes its traces away.  How many attempts were lost."""
        seen = self.assert_job(job, state=kind.state, exit_code=kind.exit_code)
        *lost, last = seen["attempts"]
        for rank in last["ranks"]:
            for what in ("start", "end"):
                trace = (what, job, last["number"], rank["rank"])
                self.assertEqual(traces.pop(trace, 0), 1, f"{trace} of {seen}")
        for attempt in lost:
            self.assertTrue(any("supervisor-lost" in rank["outcome"] for rank in attempt["ranks"]), seen)
            for rank in attempt["ranks"]:
                traces.pop(("start", job, attempt["number"], rank["rank"]), 0)
                traces.pop(("end", job, attempt["number"], rank["rank"]), 0)
        self.assertEqual(seen["faults"], len(lost))
        return len(lost)

    def check_repeated_requests(self):
        for job, (kind, request) in random.Random(SEED).sample(sorted(self.load.acknowledged.items()), 5):
            self.assertEqual(self.load.submit(kind, request), job)


if __name__ == "__main__":
    main()
