#!/usr/bin/python3
"""Judges a history of clients against the final list of jobs and against what the jobs' programs wrote down themselves.

  check_history.py DIRECTORY     with history.jsonl, jobs.json and evidence/; prints what is violated, exit code 1 then

docs/how-to/chaos.md describes each rule.  `check` gives (rule, text) for each violation.
"""

import collections
import json
import os
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

import orders  # noqa: E402

ENDED = ("COMPLETED", "FAILED", "CANCELLED")
# Steps within an attempt; all that wait for the next attempt come after it.
_STEPS = {"STARTING": 1, "RUNNING": 2, "CHECKPOINTING": 3, "RECOVERING": 3}
_WAITS = 4
_ROUNDING = 0.001  # of the age that an answer tells, in seconds

Operation = collections.namedtuple("Operation", "client op id call end_time end value")
Line = collections.namedtuple("Line", "what job name attempt rank node pid at gpus")


def final(job):
    """What the rules need of a job in the final list, from the API's answer."""
    return {"name": job["spec"]["name"], "state": job["state"], "detail": job["detail"], "attempt": job.get("attempt", 0),
            "exit_code": job.get("exit_code"), "nodes": job["spec"].get("nodes") or 1}


def place_in_life(value):
    """Grows in the life of a job: attempts, and the steps of each; the end comes last."""
    if value["state"] in ENDED:
        return orders.OVER
    return value["attempt"], _STEPS.get(value["detail"], _WAITS)


def parse_operation(text):
    entry = json.loads(text)
    return Operation(entry["client"], entry["op"], entry["id"], entry["call"], entry["return"], entry["end"], entry["value"])


def parse_line(text):
    what, job, name, attempt, rank, node, pid, at, *gpus = text.split()
    held = [gpu for gpu in (gpus[0].split(",") if gpus else []) if gpu != "-1"]
    return Line(what, job, name, int(attempt), int(rank), node, int(pid), float(at), held)


def check(operations, jobs, lines):
    """`jobs`: id -> final(job).  All (rule, text), in the order of the rules."""
    found = []
    found += _submits(operations, jobs)
    found += _finds(operations, jobs)
    found += _ages(operations)
    operations = [_as_read(op) for op in operations]
    found += _programs(jobs, lines)
    found += _gpus(lines)
    by_job = collections.defaultdict(list)
    for operation in operations:
        if operation.op not in ("submit", "find"):
            by_job[operation.id].append(operation)
    submitted = {op.value["job"]: op for op in operations if op.op == "submit" and op.end == "ok"}
    for job, of_job in sorted(by_job.items()):
        seen = _reads(job, of_job, submitted.get(job), jobs.get(job))
        seen += _cancels(job, of_job, jobs.get(job))
        # Only what no simpler rule explains.
        found += seen or _order(job, of_job, jobs.get(job))
    return found


# Submits.

def _submits(operations, jobs):
    by_name = collections.defaultdict(list)
    for job, seen in jobs.items():
        by_name[seen["name"]].append(job)
    given = {}
    for op in (one for one in operations if one.op == "submit"):
        there = by_name.pop(op.id, [])
        if op.end == "ok":
            job = op.value["job"]
            if job in given:
                yield "submit-doubled", f"{job} was given to {given[job]} and to {op.id}"
            given[job] = op.id
            if job not in there:
                yield "submit-lost", f"{op.id} was acknowledged as {job} at {op.end_time}, and the jobs of that name are {there}"
        if op.end == "fail" and not (op.value or {}).get("impossible"):
            yield "submit-denied", f"{op.id} can run, and was refused at {op.end_time}: {op.value}"
        if op.end == "fail" and there:
            yield "submit-refused", f"{op.id} was refused at {op.end_time}, and exists: {there}"
        if len(there) > 1:
            yield "submit-doubled", f"{op.id} ({op.end}) exists {len(there)} times: {there}"
    for name, there in by_name.items():
        yield "submit-unknown", f"{there} named {name} was submitted by nobody"


def _finds(operations, jobs):
    """A list that was read after a submit was acknowledged has its job; no list has a job before its submit, or a refused one."""
    submits = {op.id: op for op in operations if op.op == "submit"}
    for op in operations:
        if op.op != "find" or op.end != "ok":
            continue
        submit = submits.get(op.id)
        if submit and submit.end == "ok" and submit.end_time < op.call and op.value != [submit.value["job"]]:
            yield "read-lost", f"{op.id} was {submit.value['job']} at {submit.end_time}, and a list at {op.call} has {op.value}"
        if op.value and (submit is None or submit.end == "fail" or op.end_time < submit.call):
            yield "read-invented", f"a list at {op.call} has {op.value} of {op.id}, which was {submit.end if submit else 'never'} submitted"
        # Also of a submit whose end is unknown: what was seen once is there.
        for job in op.value if submit and submit.end == "unknown" else []:
            if job not in jobs:
                yield "read-invented", f"a list at {op.call} has {job} of {op.id}, which is no job in the end"


# Reads of standbys.

def _ages(operations):
    for op in operations:
        if op.op == "stale" and op.end == "ok" and (op.value["age"] is None or op.value["age"] > op.value["asked"] + _ROUNDING):
            yield "too-stale", f"a read of {op.id} at {op.call} asked for {op.value['asked']} s, and was answered with {op.value['age']} s"


def _as_read(op):
    """A state of this age shows what was so at some time since then: it is as a read that began so much earlier."""
    if op.op != "stale" or op.end != "ok":
        return op._replace(op="read") if op.op == "stale" else op
    return op._replace(op="read", call=op.call - (op.value["age"] or 0) - _ROUNDING, value=op.value["job"])


# The programs' own evidence.

def _lives(lines):
    """(job, attempt, rank) -> (first, last sign of life)."""
    lives = {}
    for line in lines:
        key = (line.job, line.attempt, line.rank)
        first, last = lives.get(key, (line.at, line.at))
        lives[key] = (min(first, line.at), max(last, line.at))
    return lives


def _programs(jobs, lines):
    starts = collections.Counter((line.job, line.attempt, line.rank) for line in lines if line.what == "start")
    for (job, attempt, rank), times in sorted(starts.items()):
        if times > 1:
            yield "start-doubled", f"attempt {attempt} of {job}, rank {rank}, started {times} times"
    for job, name in sorted({(line.job, line.name) for line in lines}):
        if job not in jobs or jobs[job]["name"] != name:
            yield "program-unknown", f"a program of {job} ran with the name {name}; the list has {jobs.get(job)}"
    lives = _lives(lines)
    by_job = collections.defaultdict(list)
    for (job, attempt, rank), life in lives.items():
        by_job[job].append((life, attempt, rank))
    for job, of_job in sorted(by_job.items()):
        yield from _overlaps(job, of_job)
        latest = max(attempt for _, attempt, _ in of_job)
        if job in jobs and latest > jobs[job]["attempt"]:
            yield "attempt-unknown", f"attempt {latest} of {job} ran, and the list knows {jobs[job]['attempt']}"
    ends = {(line.job, line.attempt, line.rank) for line in lines if line.what == "end"}
    for job, seen in sorted(jobs.items()):
        missing = [rank for rank in range(seen["nodes"]) if (job, seen["attempt"], rank) not in ends]
        if seen["state"] == "COMPLETED" and missing:
            yield "end-invented", f"{job} is COMPLETED, and ranks {missing} of attempt {seen['attempt']} did not come to their end"


def _overlaps(job, lives):
    for (a, attempt, rank) in lives:
        for (b, other, rank_of_other) in lives:
            if attempt < other and b[0] < a[1]:
                yield "overlap", (f"attempt {other} of {job} (rank {rank_of_other}) lives from {b[0]} on, and attempt {attempt} "
                                  f"(rank {rank}) still at {a[1]}")


def _gpus(lines):
    """No GPU belongs to two programs that live at the same time."""
    lives = _lives(lines)
    users = collections.defaultdict(set)
    for line in lines:
        for gpu in line.gpus:
            users[gpu].add((line.job, line.attempt, line.rank))
    for gpu, keys in sorted(users.items()):
        spans = sorted((lives[key], key) for key in keys)
        for (before, one), (after, other) in zip(spans, spans[1:]):
            if after[0] < before[1]:
                yield "gpu-doubled", f"{gpu} belonged to {one} until {before[1]} and to {other} from {after[0]} on"


# What was read of one job.

def _reads(job, operations, submit, last):
    """No read goes back behind one that was over before it began.  The final list is a read after all others."""
    found = []
    known = [op for op in operations if op.end == "ok" and op.value is not None]
    for op in operations:
        if op.op == "read" and op.end == "ok" and op.value is None and submit and submit.end_time < op.call:
            found.append(("read-lost", f"{job} was acknowledged at {submit.end_time}, and unknown to a read at {op.call}"))
        if op.op == "read" and op.end == "fail":
            found.append(("read-refused", f"a read of {job} at {op.call} was refused: {op.value}"))
    for op in known:
        if op.value["name"] != (submit.id if submit else op.value["name"]):
            found.append(("read-invented", f"{job} is {submit.id}, and was read as {op.value['name']} at {op.call}"))
    ends = sorted(known, key=lambda op: op.end_time)
    at, newest = 0, None
    for op in sorted(known, key=lambda op: op.call):
        while at < len(ends) and ends[at].end_time < op.call:
            newest = max(newest, ends[at], key=lambda one: place_in_life(one.value)) if newest else ends[at]
            at += 1
        if newest and _is_behind(op.value, newest.value):
            found.append(("state-backwards", f"{job} was {_told(newest.value)} at {newest.end_time}, and "
                                             f"{_told(op.value)} in a read that began at {op.call}"))
    over = [op.value for op in known if op.value["state"] in ENDED]
    if over and last and _end_of(last) != _end_of(over[0]):
        found.append(("state-backwards", f"{job} ended as {_told(over[0])}, and the final list has {last}"))
    return found


def _is_behind(value, before):
    if place_in_life(value) < place_in_life(before):
        return True
    if any(value[count] < before[count] for count in ("faults", "retries")):
        return True
    return before["state"] in ENDED and _end_of(value) != _end_of(before)


def _end_of(value):
    return value["state"], value["detail"], value["attempt"], value["exit_code"]


def _told(value):
    return f"{value['detail']} of attempt {value['attempt']}"


def _cancels(job, operations, last):
    """After an acknowledged cancel, a job waits for nothing, begins no further attempt, and ends as cancelled or completed."""
    cancels = [op for op in operations if op.op == "cancel" and op.end == "ok"]
    if not cancels:
        return []
    found = []
    since = min(op.end_time for op in cancels)
    later = [op for op in operations if op.end == "ok" and op.value is not None and op.call > since]
    for op in later:
        if op.value["state"] not in ENDED and op.value["detail"] not in _STEPS:
            found.append(("cancel-forgotten", f"a cancel of {job} was acknowledged at {since}, and it is {_told(op.value)} at {op.call}"))
    attempts = {op.value["attempt"] for op in later} | ({last["attempt"]} if last else set())
    attempts |= {op.value["attempt"] for op in cancels if op.value is not None and "attempt" in op.value}
    if len(attempts) > 1:
        found.append(("cancel-forgotten", f"a cancel of {job} was acknowledged at {since}, and then it had attempts {sorted(attempts)}"))
    if last and last["state"] not in ("CANCELLED", "COMPLETED"):
        found.append(("cancel-forgotten", f"a cancel of {job} was acknowledged at {since}, and it ended as {_told(last)}"))
    return found


def _order(job, operations, last):
    end = [Operation("list", "read", job, float("inf"), float("inf"), "ok", {**last, "faults": 0, "retries": 0})] if last else []
    steps = [orders.Step(op.op, op.call, op.end_time, op.end, op.value and op.op == "read" and place_in_life(op.value),
                         bool(op.value) and op.value.get("detail") == "HELD") for op in operations + end
             if not (op.op == "read" and (op.end != "ok" or op.value is None))]
    if orders.explains(steps):
        return []
    told = "; ".join(f"{op.op} {op.call}-{op.end_time} {op.end} {_told(op.value) if op.value and 'attempt' in op.value else ''}"
                     for op in sorted(operations, key=lambda op: op.call))
    return [("no-order", f"no order of the operations on {job} explains their answers: {told}")]


# Files.

def check_files(directory):
    directory = pathlib.Path(directory)
    with open(directory / "history.jsonl", encoding="utf-8") as file:
        operations = [parse_operation(line) for line in file]
    with open(directory / "jobs.json", encoding="utf-8") as file:
        jobs = {job["id"]: job for job in json.load(file)}
    lines = []
    for name in sorted(os.listdir(directory / "evidence")):
        with open(directory / "evidence" / name, encoding="utf-8") as file:
            lines += [parse_line(line) for line in file if line.endswith("\n")]
    return check(operations, jobs, lines)


def main():
    found = check_files(sys.argv[1])
    for rule, text in found:
        print(f"VIOLATED {rule}: {text}")
    print(f"{len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
