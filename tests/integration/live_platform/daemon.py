"""One long-lived process of the platform: started, stopped, killed, paused."""

import os
import signal
import subprocess
import time

from .waiting import eventually


class Daemon:
    """Its output goes to `<directory>/<name>.log`, all runs behind each other."""

    def __init__(self, name, words, directory, sandbox):
        self.name = name
        self.words = words
        self.log_path = os.path.join(directory, f"{name}.log")
        self._sandbox = sandbox
        self._process = None
        self._run_begins = 0  # in the log, in bytes
        self.started_at = 0.0  # by time.monotonic()
        self.exits = []  # unexpected ones too: a test may look

    @property
    def pid(self):
        return self._process.pid if self._process else None

    def runs(self):
        return self._process is not None and self._process.poll() is None

    def exit_code(self):
        """Of a run that has ended by itself; None: it runs."""
        return self._process.poll()

    def start(self):
        assert not self.runs(), f"{self.name} runs already"
        with open(self.log_path, "ab") as log:
            self._run_begins = log.tell()
            self.started_at = time.monotonic()
            self._process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                start_new_session=True, preexec_fn=self._sandbox.place(self.name))
        return self

    def pause(self):
        os.kill(self.pid, signal.SIGSTOP)
        eventually(lambda: self._state() == "T", f"{self.name} stops")

    def resume(self):
        os.kill(self.pid, signal.SIGCONT)

    def kill(self):
        """kill -9; returns when it is gone."""
        return self._end(signal.SIGKILL)

    def stop(self):
        """As an administrator would: SIGTERM; its exit code."""
        return self._end(signal.SIGTERM)

    def text(self):
        with open(self.log_path, errors="replace") as log:
            return log.read()

    def text_of_run(self):
        """What it has printed since its last start."""
        with open(self.log_path, errors="replace") as log:
            log.seek(self._run_begins)
            return log.read()

    def _end(self, number):
        if self._process is None:
            return None
        if self._process.poll() is None:
            self._process.send_signal(number)
            if number == signal.SIGTERM:
                self._process.send_signal(signal.SIGCONT)
        try:
            code = self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise AssertionError(f"{self.name} did not end by SIGTERM\n{self.text()}") from None
        self.exits.append(code)
        self._process = None
        return code

    def _state(self):
        with open(f"/proc/{self.pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
