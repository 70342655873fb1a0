"""A shell in which a document's commands are run: root of a file system that is a copy, in a network of its own.

The files that commands write are gone with the shell, so that documents may name the paths and addresses that users have.
"""

import os
import re
import shlex
import subprocess
import threading
import time
import uuid

ENTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "enter.sh")
SERVES = re.compile(r"gpu-platform (serve|agent)\b(?!.* --help)")


class Failed(Exception):
    pass


class Shell:
    """One process for all commands, so that variables, directories and background jobs stay."""

    def __init__(self, repository, binary, join, limit=60, used=None):
        """`used`: a directory with what seems to lie on this machine already, at its paths below it."""
        self.limit = limit
        self.output = ""
        self._mark = f"mark-{uuid.uuid4().hex}"
        self._more = threading.Condition()
        self._process = subprocess.Popen(
            ["unshare", "--mount", "--net", "sh", ENTER, repository, os.path.dirname(os.path.abspath(binary)), *([used] if used else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=join)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def run(self, command, may_serve=True):
        """(exit code, what was written meanwhile).  Whoever serves is put into the background and waited for."""
        before = len(self.output)
        serves = SERVES.search(command) if may_serve else None
        if serves and not re.search(r"&\s*(\w+=\$!)?\s*(#.*)?$", command):
            command = re.sub(r"\s+#.*$", "", command) + " &"
        self._process.stdin.write(f"{{ {command}\n}} < /dev/null\nprintf '\\n%s %d\\n' {self._mark} $?\n".encode())
        self._process.stdin.flush()
        code, text = self._until_mark(before, command)
        if command.startswith("kill "):
            time.sleep(1)  # nobody types the next line faster
        if serves:
            self._await_service(serves.group(1), command, before)
        return code, text

    def real_path(self, path):
        """Where this machine finds what the shell has there, while the shell lives."""
        return f"/proc/{self._process.pid}/root{path}"

    def write_file(self, path, text):
        code, told = self.run(f"printf %s {shlex.quote(text)} > {path}", may_serve=False)
        if code != 0:
            raise Failed(told)

    def wait_for_lines(self, since, are_there):
        if not self._until(lambda: are_there(self.output[since:]), 10):
            raise Failed

    def wait_for(self, pattern, since=0):
        found = self._until(lambda: re.search(pattern, self.output[since:]))
        if not found:
            raise Failed(f"\"{pattern}\" was not written within {self.limit} s:\n{self.output[since:]}")
        return found

    def _await_service(self, what, command, since):
        """Until its nodes are there with all their GPUs: nobody reads the words of a start in no time."""
        self.wait_for(r"controller runs|standby: this controller" if what == "serve" else r"agent of node \S+ runs", since)
        simulated = re.search(r"(\d+) (?:simulated|played) node", self.output[since:])
        agents = 0 if "--no-agent" in command else int(simulated.group(1)) if simulated else 1
        if agents > 0 and "--light" not in command:
            self.wait_for(r"agent of node \S+ runs|\"node_joined\",\"node\":\"dgx", since)  # the others say nothing
        place = re.search(r"--run-dir[ =](\S+)", command)
        server = f"--server {place.group(1)} " if place else ""
        self.run(f"for i in $(seq 300); do s=$(gpu-platform {server}status --all 2>/dev/null); "
                 f"[ $(echo \"$s\" | grep -cE ' UP( |$)') -ge {agents} ] && ! echo \"$s\" | grep -Eq 'UNKNOWN|TESTING' && break; sleep 0.1; done")

    def _until_mark(self, since, command):
        mark = re.compile(rf"\n{self._mark} (\d+)\n")
        if not self._until(lambda: mark.search(self.output[since:])):
            ended = self._process.poll()
            state = f"still runs after {self.limit} s" if ended is None else f"the shell exited with {ended}"
            raise Failed(f"{state}: {command}\n{self.output[since:]}")
        found = mark.search(self.output[since:])
        text = self.output[since:since + found.start()]
        with self._more:
            self.output = self.output[:since + found.start()] + "\n" + self.output[since + found.end():]
        return int(found.group(1)), text

    def _until(self, done, limit=None):
        deadline = time.monotonic() + (limit or self.limit)
        with self._more:
            while not done() and time.monotonic() < deadline and self._process.poll() is None:
                self._more.wait(0.2)
        return done()

    def _read(self):
        while chunk := self._process.stdout.read1(65536):
            with self._more:
                self.output += chunk.decode(errors="replace")
                self._more.notify_all()

    def kill(self):
        self._process.kill()
        self._process.wait()

    def close(self):
        """After all that it started has ended, too."""
        self._reader.join()
        self._process.stdin.close()
        self._process.stdout.close()
