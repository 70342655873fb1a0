#!/usr/bin/python3
"""The checker accepts a sound history, and refuses each wrong one for the right reason."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

import check_history  # noqa: E402
import json  # noqa: E402
import orders  # noqa: E402
from check_history import Operation, parse_line  # noqa: E402


def value(state, detail=None, attempt=0, name="a", exit_code=None, faults=0):
    return {"name": name, "state": state, "detail": detail or state, "attempt": attempt, "faults": faults, "retries": 0,
            "exit_code": exit_code}


QUEUED = value("QUEUED")
HELD = value("PENDING", "HELD")
RUNNING = value("RUNNING", attempt=1)
COMPLETED = value("COMPLETED", attempt=1, exit_code=0)
CANCELLED = value("CANCELLED", exit_code=130)


class Told:
    """Operations of two clients one after the other, each a second long, unless they say otherwise."""

    def __init__(self):
        self.operations = []
        self.jobs = {}
        self.lines = []
        self.clock = 0.0

    def op(self, op, subject="job-1", result=None, end="ok", at=None, until=None):
        call = self.clock if at is None else at
        self.clock = max(self.clock, until or call + 1) + 0.1
        self.operations.append(Operation("client", op, subject, call, until or call + 1, end, result))
        return self

    def submit(self, name="a", job="job-1", **options):
        return self.op("submit", name, {"job": job}, **options)

    def read(self, seen, **options):
        return self.op("read", "job-1", seen, **options)

    def stale(self, seen, age, asked, **options):
        return self.op("stale", "job-1", {"asked": asked, "age": age, "job": seen}, **options)

    def final(self, job="job-1", **seen):
        self.jobs[job] = {"nodes": 1, **COMPLETED, **seen}
        return self

    def program(self, *lines):
        """"start job-1 a 1 0 10.00", with GPUs behind it."""
        for line in lines:
            what, job, name, attempt, rank, at, *gpus = line.split()
            self.lines.append(parse_line(" ".join([what, job, name, attempt, rank, "node-0", "7", at, *gpus])))
        return self

    def rules(self):
        return [rule for rule, _ in check_history.check(self.operations, self.jobs, self.lines)]


def sound():
    """A job that is held, released, runs on a GPU and completes; another one is cancelled; one was refused."""
    told = Told().submit().read(QUEUED).op("hold", result=HELD).read(HELD).op("release", result=QUEUED).read(RUNNING).read(COMPLETED)
    told.submit("b", "job-2").op("cancel", "job-2", value("CANCELLED", name="b", exit_code=130))
    told.op("submit", "c", {"impossible": True, "detail": "no node could run it"}, end="fail").op("submit", "d", None, end="unknown")
    told.op("find", "a", ["job-1"]).op("find", "c", []).op("find", "d", [])
    told.final().final("job-2", **value("CANCELLED", name="b", exit_code=130))
    return told.program("start job-1 a 1 0 5.10 GPU-1", "alive job-1 a 1 0 5.30", "end job-1 a 1 0 5.50")


class Sound(unittest.TestCase):
    def test_it_is_accepted(self):
        self.assertEqual(sound().rules(), [])

    def test_a_standby_may_be_as_old_as_it_says(self):
        told = Told().submit(at=0).stale(None, age=3, asked=5, at=2).read(RUNNING, at=10).stale(QUEUED, age=3, asked=5, at=12)
        told.stale(None, end="unknown", age=None, asked=1, at=15)
        told.final()
        self.assertEqual(told.program("start job-1 a 1 0 9.10", "end job-1 a 1 0 19.50").rules(), [])

    def test_what_ended_unknown_may_have_happened_or_not(self):
        once = Told().op("submit", "a", None, end="unknown").final().program("start job-1 a 1 0 1.00", "end job-1 a 1 0 1.20")
        self.assertEqual(once.rules(), [])
        self.assertEqual(Told().op("submit", "a", None, end="unknown").rules(), [])

    def test_reads_at_the_same_time_may_come_in_either_order(self):
        told = Told().submit().read(RUNNING, at=2, until=5).read(QUEUED, at=2.5, until=5).read(COMPLETED)
        told.final().program("start job-1 a 1 0 1.00", "end job-1 a 1 0 1.20")
        self.assertEqual(told.rules(), [])

    def test_an_attempt_may_follow_one_that_is_dead(self):
        told = Told().submit().read(RUNNING).read(value("QUEUED", attempt=1, faults=1)).read(value("RUNNING", attempt=2, faults=1))
        told.final(attempt=2).program("start job-1 a 1 0 1.00 GPU-1", "alive job-1 a 1 0 3.00",
                                      "start job-1 a 2 0 3.00 GPU-1", "end job-1 a 2 0 4.00")
        self.assertEqual(told.rules(), [])

    def test_a_change_without_an_answer_may_come_late(self):
        told = Told().submit().op("hold", end="unknown").read(QUEUED).read(QUEUED).read(HELD).op("release", result=QUEUED)
        told.final(**CANCELLED)
        self.assertEqual(told.rules(), [])


class Wrong(unittest.TestCase):
    """One thing is wrong in each."""

    def test_an_acknowledged_submit_is_lost(self):
        told = sound()
        del told.jobs["job-1"]
        told.lines.clear()
        self.assertEqual(told.rules(), ["submit-lost"])

    def test_a_program_ran_that_the_list_does_not_know(self):
        told = sound().program("start job-9 a 1 0 5.10")
        self.assertEqual(told.rules(), ["program-unknown"])

    def test_a_number_was_given_twice(self):
        told = sound().submit("e", "job-2")
        self.assertEqual(told.rules()[:2], ["submit-doubled", "submit-lost"])

    def test_a_submit_was_carried_out_twice(self):
        self.assertEqual(sound().final("job-3", **CANCELLED).rules(), ["submit-doubled"])
        unknown = sound().final("job-4", **{**CANCELLED, "name": "d"}).final("job-5", **{**CANCELLED, "name": "d"})
        self.assertEqual(unknown.rules(), ["submit-doubled"])

    def test_a_refused_submit_exists(self):
        self.assertEqual(sound().final("job-3", **{**CANCELLED, "name": "c"}).rules(), ["submit-refused"])

    def test_a_submit_of_a_job_that_can_run_is_refused(self):
        for answer in ({"detail": "the name is taken"}, None):
            self.assertEqual(sound().op("submit", "e", answer, end="fail").rules(), ["submit-denied"])

    def test_an_attempt_started_twice(self):
        self.assertEqual(sound().program("start job-1 a 1 0 5.40").rules(), ["start-doubled"])

    def test_two_attempts_live_at_the_same_time(self):
        told = sound().final(attempt=2).program("start job-1 a 2 0 5.40", "end job-1 a 2 0 6.00")
        self.assertIn("overlap", told.rules())

    def test_two_programs_have_one_gpu(self):
        told = sound().submit("e", "job-3").final("job-3", **{**COMPLETED, "name": "e"})
        told.program("start job-3 e 1 0 5.40 GPU-1", "end job-3 e 1 0 5.60")
        self.assertEqual(told.rules(), ["gpu-doubled"])

    def test_a_read_goes_back_in_time(self):
        self.assertEqual(sound().read(RUNNING).rules(), ["state-backwards"])
        told = Told().submit().read(RUNNING).read(QUEUED).final().program("end job-1 a 1 0 5.10")
        self.assertEqual(told.rules(), ["state-backwards"])

    def test_a_standby_shows_what_was_so_before_the_age_that_it_tells(self):
        told = Told().submit().read(RUNNING, at=5).stale(QUEUED, age=3, asked=5, at=12)
        told.final()
        self.assertEqual(told.program("start job-1 a 1 0 4.10", "end job-1 a 1 0 19.50").rules(), ["state-backwards"])

    def test_a_standby_does_not_have_a_job_that_is_older_than_its_state(self):
        told = Told().submit(at=0).stale(None, age=0.5, asked=5, at=2)
        told.final()
        self.assertEqual(told.program("start job-1 a 1 0 5.10", "end job-1 a 1 0 5.50").rules(), ["read-lost"])

    def test_a_standby_is_older_than_asked(self):
        self.assertEqual(sound().stale(COMPLETED, age=2.5, asked=2).rules(), ["too-stale"])

    def test_an_end_changes(self):
        self.assertEqual(sound().read(value("FAILED", attempt=1, exit_code=1)).rules(), ["state-backwards"])
        self.assertEqual(sound().final(exit_code=1).rules(), ["state-backwards"])

    def test_a_read_after_the_submit_does_not_find_the_job(self):
        self.assertEqual(sound().read(None).rules(), ["read-lost"])
        self.assertEqual(sound().op("find", "a", []).rules(), ["read-lost"])

    def test_a_read_before_the_submit_finds_the_job(self):
        told = Told().op("find", "a", ["job-1"])
        told.submit().final().program("end job-1 a 1 0 5.10")
        self.assertEqual(told.rules(), ["read-invented"])

    def test_a_job_of_an_unknown_submit_is_seen_and_is_gone(self):
        self.assertEqual(sound().op("find", "d", ["job-9"]).rules(), ["read-invented"])

    def test_a_cancel_that_named_its_attempt_is_followed_by_another(self):
        told = Told().submit().read(RUNNING).op("cancel", result=RUNNING).final(**{**CANCELLED, "attempt": 2})
        self.assertEqual(told.rules(), ["cancel-forgotten"])

    def test_a_cancel_is_forgotten(self):
        for later in (QUEUED, value("RETRY_WAIT", attempt=1), value("PENDING", "HELD")):
            told = Told().submit().op("cancel", result=RUNNING).read(later).final(**CANCELLED)
            self.assertIn("cancel-forgotten", told.rules(), later)

    def test_a_cancelled_job_begins_a_further_attempt(self):
        told = Told().submit().op("cancel", result=RUNNING).read(RUNNING)
        told.read(value("RUNNING", attempt=2)).final(**{**CANCELLED, "attempt": 2})
        self.assertEqual(told.rules(), ["cancel-forgotten"])

    def test_a_cancelled_job_fails(self):
        told = Told().submit().op("cancel", result=RUNNING).final(**value("FAILED", attempt=1, exit_code=3))
        self.assertEqual(told.rules(), ["cancel-forgotten"])

    def test_a_hold_is_forgotten(self):
        told = Told().submit().op("hold", result=HELD).read(RUNNING).final().program("end job-1 a 1 0 5.10")
        self.assertEqual(told.rules(), ["no-order"])

    def test_a_release_is_refused_though_the_job_is_held(self):
        told = Told().submit().op("hold", result=HELD).op("release", end="fail").op("release", result=QUEUED).final(**CANCELLED)
        self.assertEqual(told.rules(), ["no-order"])

    def test_a_cancel_is_refused_though_the_job_is_not_over(self):
        told = Told().submit().op("cancel", end="fail").read(RUNNING).final().program("end job-1 a 1 0 5.10")
        self.assertEqual(told.rules(), ["no-order"])

    def test_a_job_is_completed_whose_program_is_not(self):
        told = sound()
        told.lines = [line for line in told.lines if line.what != "end"]
        self.assertEqual(told.rules(), ["end-invented"])


class Files(unittest.TestCase):
    def test_it_judges_what_a_run_has_kept(self):
        with tempfile.TemporaryDirectory() as name:
            place = pathlib.Path(name)
            told = sound()
            keys = ("client", "op", "id", "call", "return", "end", "value")
            (place / "history.jsonl").write_text("".join(json.dumps(dict(zip(keys, op))) + "\n" for op in told.operations))
            (place / "evidence").mkdir()
            (place / "evidence/job-1").write_text("start job-1 a 1 0 node-0 7 5.10 GPU-1\nend job-1 a 1 0 node-0 7 5.50 \n")
            for jobs, code, out in ((told.jobs, 0, "0 violations"), ({}, 1, "VIOLATED submit-lost: a")):
                (place / "jobs.json").write_text(json.dumps([{"id": job, **seen} for job, seen in jobs.items()]))
                judged = subprocess.run([sys.executable, "-B", HERE / "check_history.py", name], capture_output=True, text=True, check=False)
                self.assertEqual((judged.returncode, out in judged.stdout), (code, True), judged)


class Search(unittest.TestCase):
    def test_many_operations_without_an_end_are_no_trouble(self):
        steps = [orders.Step(op, k, k + 1, "unknown", None, False) for k, op in enumerate(["hold", "release"] * 8)]
        steps += [orders.Step("read", 20 + k, 20.5 + k, "ok", (0, 4), k % 2 == 0) for k in range(8)]
        self.assertTrue(orders.explains(steps))


if __name__ == "__main__":
    unittest.main()
