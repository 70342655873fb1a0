"""What a user types, and what comes back."""

import json
import os
import subprocess


class Answer:
    def __init__(self, words, code, out, err):
        self.words, self.code, self.out, self.err = words, code, out, err

    def ok(self):
        """Itself; fails the test where the command did not succeed."""
        assert self.code == 0, f"{self}"
        return self

    @property
    def json(self):
        return json.loads(self.ok().out)

    @property
    def lines(self):
        return self.out.splitlines()

    def __str__(self):
        return (f"{' '.join(self.words)}\nexit code {self.code}\n"
                f"stdout: {self.out[-2000:]}\nstderr: {self.err[-2000:]}")


class Cli:
    """Calls the binary for one controller; `uid` other than None: as that user; with `extra` in its environment."""

    def __init__(self, binary, server, uid=None, extra=None):
        self.binary = binary
        self.server = server
        self.uid = uid
        self.extra = extra or {}

    def as_user(self, uid):
        return Cli(self.binary, self.server, uid, self.extra)

    def by_token(self, secret, server=None):
        return Cli(self.binary, server or self.server, self.uid, {**self.extra, "GPU_PLATFORM_TOKEN": secret})

    def popen(self, *words, **options):
        """A command that goes on in the background; the caller ends it."""
        if self.uid is not None:
            options.update(user=self.uid, group=self.uid, extra_groups=[])
        environment = {**os.environ, "GPU_PLATFORM_SERVER": self.server, "HOME": "/", **self.extra}
        return subprocess.Popen([self.binary, *map(str, words)], env=environment, cwd="/",
                                **{"stdin": subprocess.DEVNULL, **options})

    def __call__(self, *words, input=None, timeout=120):
        process = self.popen(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             stdin=subprocess.DEVNULL if input is None else subprocess.PIPE)
        try:
            out, err = process.communicate(input, timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError(f"no end within {timeout} s\n"
                                 f"{Answer(process.args, None, _text(out), _text(err))}") from None
        return Answer([str(word) for word in process.args], process.returncode, _text(out), _text(err))

    def json(self, *words):
        return self(*words, "-o", "json").json

    # Jobs.

    def start(self, *flags, command):
        """Queues one command with `run -d`; the job's id."""
        return self("-q", "run", "-d", *flags, "--", *command).ok().out.strip()

    def submit(self, spec, *flags):
        """Queues a job file given as a dictionary; the ids."""
        return self("-q", "jobs", "submit", *flags, "-", input=json.dumps(spec).encode()).ok().lines

    def job(self, job):
        return self.json("jobs", "describe", job)

    def jobs(self, *flags):
        return self.json("jobs", "list", "--limit", "10000", *flags).get("jobs", [])

    def wait(self, *jobs, timeout="60s"):
        """Exit code of `jobs wait`."""
        return self("-q", "jobs", "wait", "--timeout", timeout, *jobs).code

    # The cluster.

    def cluster(self):
        return self.json("status", "--all")

    def gpus(self):
        return [(node, gpu) for node in self.cluster().get("nodes", []) for gpu in node.get("gpus", [])]


def _text(data):
    return data.decode(errors="replace")
