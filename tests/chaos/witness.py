"""Watches the kernel, not the controller: is any GPU ever held by two attempts at once?"""

import itertools
import threading

from live_platform import ledger


class Witness:
    """Looks many times a second on a thread of its own; only for jobs with whole GPUs."""

    def __init__(self, sandbox):
        self.looks = 0
        self.conflicts = []
        self._sandbox = sandbox
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self):
        self._thread.start()

    def stop(self):
        self._stop.set()
        self._thread.join()

    def _run(self):
        while not self._stop.wait(0.05):
            self.looks += 1
            before = ledger.held(self._sandbox)
            suspects = [pair for pair in itertools.combinations(sorted(before), 2)
                        if set(before[pair[0]]) & set(before[pair[1]])]
            # The cgroups are read one after the other: one may have ended before the next began.
            after = ledger.held(self._sandbox) if suspects else {}
            self.conflicts += [pair for pair in suspects if all(name in after for name in pair)]
