"""Waiting for what happens in its own time: always with a deadline, never by a fixed sleep."""

import time

# Generous on purpose: it ends tests that hang, it measures nothing.
PATIENCE_S = 30.0


class TimedOut(AssertionError):
    """Something awaited did not happen in time."""


def eventually(condition, what, timeout=PATIENCE_S, interval=0.02):
    """Calls `condition` until it is true; returns that value.  `what` may be text or make it."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimedOut(f"not within {timeout} s: {what() if callable(what) else what}")
        time.sleep(interval)
