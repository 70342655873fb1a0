"""Whether some order of the operations on one job explains all their answers: Wing and Gong's search, with Lowe's memory.

The order must keep what real time shows: an operation that was over before another one began comes first.  An operation
whose end is unknown takes effect at any time after its call, or never.

The job as it is searched for has a place in its life, which grows by itself; whether it is held, in which case it does not
grow; and whether it was cancelled.
"""

import collections
import sys

# What a client saw: `place` of a read or None, `held`: whether it saw HELD.
Step = collections.namedtuple("Step", "op call end_time end place held")
_Job = collections.namedtuple("_Job", "place held stopped over")

_NEVER = float("inf")
OVER = (1 << 30, 0)  # the place of a job that has ended
_MOST_STATES = 200_000


def explains(steps):
    """Gives up, and says yes, after very many states: a job has dozens of operations, and few of them at the same time."""
    steps = sorted(steps, key=lambda one: one.call)
    ends = [_NEVER if one.end == "unknown" else one.end_time for one in steps]
    needed = sum(1 << k for k, one in enumerate(steps) if one.end != "unknown")
    begin = (0, _Job((0, 0), False, False, False))
    seen, stack = {begin}, [begin]
    while stack:
        done, job = stack.pop()
        if done & needed == needed:
            return True
        if len(seen) > _MOST_STATES:
            print(f"orders: given up after {len(seen)} states of {len(steps)} operations", file=sys.stderr)
            return True
        # The next one is called before any of those that are left has returned.
        left = [k for k in range(len(steps)) if not done >> k & 1]
        first_end = min(ends[k] for k in left)
        for k in left:
            if steps[k].call > first_end:
                break
            after = _apply(job, steps[k])
            following = (done | 1 << k, after)
            if after is not None and following not in seen:
                seen.add(following)
                stack.append(following)
    return False


def _apply(job, step):
    """The job after this step; None: its answer is not possible here."""
    if step.end == "fail":
        return _refuse(job, step)
    if step.op == "read":
        return _read(job, step)
    if job.over:
        return job if step.end == "unknown" else None  # only a job that is not over is changed
    if step.op == "cancel":
        return job._replace(held=False, stopped=True, over=job.held)
    if step.op == "hold":
        can_be = not job.held and not job.stopped
        return job._replace(held=True) if can_be else job if step.end == "unknown" else None
    assert step.op == "release", step
    return job._replace(held=False) if job.held else job if step.end == "unknown" else None


def _read(job, step):
    if step.held != job.held or step.place < job.place:
        return None
    over = step.place == OVER
    if job.over and not over:
        return None
    return job._replace(place=step.place, over=over)


def _refuse(job, step):
    if step.op == "release":
        return None if job.held else job
    if step.op == "cancel":  # refused only where the job is over, which a held one is not by itself
        return None if job.held else job._replace(over=True)
    return job  # a hold: it may run, or be held already
