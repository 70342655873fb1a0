#!/usr/bin/python3
"""What callers see when the line breaks: followers and waiters while the controller is killed again and again, and submits
through a proxy that cuts connections anywhere.

GP_LINE_SECONDS: for how long the controller is killed every two seconds.  GP_CUT_SUBMITS: number of submits.  GP_SEED: where to cut."""

import os
import random
import re
import select
import socket
import sys
import threading
import time

from live_platform import ClusterTest, main

sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), "../../clients/python")))

import gpu_platform  # noqa: E402

SECONDS = int(os.environ.get("GP_LINE_SECONDS", "8"))
SUBMITS = int(os.environ.get("GP_CUT_SUBMITS", "100"))
SEED = int(os.environ.get("GP_SEED", "1"))
EXIT_CODE = 7


class Cutter:
    """A proxy on a port of its own that ends three connections of four after some bytes at most, in either direction."""

    def __init__(self, target, seed):
        self.target = target
        self.rng = random.Random(seed)
        self.cuts = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def close(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                line, _ = self.listener.accept()
            except OSError:
                return
            left = self.rng.choice([0, self.rng.randrange(1, 600), self.rng.randrange(1, 2000), 10**9])
            threading.Thread(target=self._carry, args=(line, left), daemon=True).start()

    def _carry(self, line, left):
        with line, socket.create_connection(("127.0.0.1", self.target)) as onward:
            other = {line: onward, onward: line}
            while True:
                ready, _, _ = select.select([line, onward], [], [], 30)
                if not ready:
                    return
                for side in ready:
                    data = side.recv(65536)
                    if not data:
                        return
                    other[side].sendall(data[:left])
                    left -= len(data)
                    if left <= 0:
                        self.cuts += 1
                        return


class KilledAgain(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 1}

    def test_nothing_is_lost_or_doubled_and_exit_codes_are_the_jobs(self):
        script = (f"end=$(($(date +%s) + {SECONDS + 1})); n=0; while [ $(date +%s) -lt $end ]; do for i in 1 2 3 4 5 6 7 8 9 10; do n=$((n+1)); echo line $n; done; "
                  f"sleep 0.02; done; echo lines $n; exit {EXIT_CODE}")
        job = self.cli.start("--gpus", "1", command=["sh", "-c", script])
        path = os.path.join(self.cluster.directory, "followed")
        with open(path, "wb") as file:
            typed = self.cli.popen("-q", "jobs", "logs", "-f", job, stdout=file)
        waiting = self.cli.popen("-q", "jobs", "wait", job)
        client = gpu_platform.Client(self.cluster.run_directory)
        told = {}
        followers = [threading.Thread(target=lambda: told.update(output="".join(client.job(job).follow()))),
                     threading.Thread(target=lambda: told.update(code=client.job(job).wait().exit_code))]
        for follower in followers:
            follower.start()
        kills, until = 0, time.monotonic() + SECONDS
        while time.monotonic() < until:
            time.sleep(2)
            self.cluster.controller.kill()
            self.cluster.start_controller()
            kills += 1
        for follower in followers:
            follower.join(60)
        self.assertEqual((waiting.wait(60), typed.wait(60)), (EXIT_CODE, 0))
        with open(path) as file:
            output = file.read()
        lines = int(re.search(r"lines (\d+)\n$", output)[1])
        self.assertEqual(output, "".join(f"line {n}\n" for n in range(1, lines + 1)) + f"lines {lines}\n")
        self.assertEqual(told, {"output": output, "code": EXIT_CODE})
        print(f"{kills} kills, {lines} lines followed twice, exit code told three times", flush=True)


class Cut(ClusterTest):
    options = {"serve_flags": ("--http", "127.0.0.1:0"), "machine": "dgx-h100", "nodes": 1}

    def test_each_submit_is_one_job(self):
        port = self.cluster.http_port()
        secret = self.cli.json("tokens", "create", "test", "--role", "admin")["secret"]
        cutter = Cutter(port, SEED)
        self.addCleanup(cutter.close)
        client = gpu_platform.Client(f"http://127.0.0.1:{cutter.port}", secret, timeout=20, patience=120)
        ids, threads = [], []

        def submit(first):
            for number in range(first, SUBMITS, 10):
                ids.append(client.submit(["true"], name=f"n{number}", directory="/").id)

        for first in range(10):
            threads.append(threading.Thread(target=submit, args=(first,)))
            threads[-1].start()
        for thread in threads:
            thread.join()
        jobs = {job["id"]: job["spec"]["name"] for job in self.cli.jobs("--all")}
        self.assertEqual(len(ids), SUBMITS)
        self.assertEqual(sorted(jobs), sorted(ids))
        self.assertEqual(sorted(jobs.values()), sorted(f"n{number}" for number in range(SUBMITS)))
        self.assertGreater(cutter.cuts, SUBMITS // 3)
        print(f"{SUBMITS} submits, {cutter.cuts} connections cut, {len(jobs)} jobs", flush=True)


if __name__ == "__main__":
    main()
