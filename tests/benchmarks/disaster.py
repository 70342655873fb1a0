#!/usr/bin/python3
"""What the loss of all controllers costs: make prove-dr.

A controller with played nodes copies its journal to an archive in a local S3 server.  Measured are

  * RPO: while a client submits at a rate, how old the oldest record is that the archive does not have, every 20 ms;
  * RTO: the time of `admin dr restore` after a number of records, on an empty state directory, and until the new controller
    answers; and what `admin dr verify` takes.

  disaster.py --binary FILE [--nodes N] [--records N] [--rate N] [--seconds N]
"""

import argparse
import json
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/integration"), str(ROOT / "examples/ml_day")]

from live_platform import UnixConnection  # noqa: E402
from live_platform.waiting import eventually  # noqa: E402
from s3_server import S3Server  # noqa: E402

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
# It waits for a node with nine GPUs: measured is the controller, not the jobs' processes.
SPEC = json.dumps({"specs": [{"name": "waiting", "command": ["true"], "gpus": {"count": 9}, "wait_for_nodes": True}]}).encode()
ELEMENTS = 10_000
SAMPLE_S = 0.02


class Site:
    def __init__(self, binary, nodes, place):
        self.binary, self.nodes, self.place = binary, nodes, place
        (place / "s3/backups").mkdir(parents=True)
        self.server = S3Server(place / "s3", {KEY: SECRET}).start()
        (place / "credentials").write_text(json.dumps({"access_key": KEY, "secret_key": SECRET, "endpoint": self.server.address}))
        self.run("admin", "dr", "make-key", place / "key")
        self.access = ["s3://backups/prod", "--key", place / "key", "--credentials", place / "credentials"]
        self.process = None

    def run(self, *words):
        done = subprocess.run([self.binary, *map(str, words)], capture_output=True, text=True, timeout=1800, check=False)
        if done.returncode:
            sys.exit(f"{words}: {done.returncode}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done.stdout

    def ask(self, *words):
        return json.loads(self.run("--server", self.place / "run", *words, "-o", "json"))

    def start(self):
        simulate = ["--simulate", f"dgx-h100:{self.nodes}", "--light"]
        with open(self.place / "log", "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--state", self.place / "state", "--run-dir", self.place / "run", *simulate,
                 "--archive", "s3://backups/prod", "--archive-key", self.place / "key", "--archive-credentials",
                 self.place / "credentials"], stdout=log, stderr=log)
        eventually(self.answers, "the controller answers", timeout=300)

    def answers(self):
        try:
            connection = UnixConnection(str(self.place / "run/http.sock"))
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def up(self):
        nodes = self.ask("status")["nodes"]
        return sum(node["state"] == "UP" for node in nodes)

    def archived(self):
        """The newest record in the archive, by the names there."""
        names = [key.rpartition("/")[2] for key in list(self.server.store.bucket("backups")) if key.endswith(".gpr")]
        return max((int(name.split("-")[1]) for name in names), default=0)

    def status(self):
        return self.ask("admin", "dr", "status")

    def await_complete(self):
        def complete():
            seen = self.status()
            return seen.get("complete_until") and seen["archived"] == seen["last"]
        eventually(complete, "the archive is complete", timeout=600)


def measure_rpo(site, rate, seconds):
    """Each submit is one record."""
    site.await_complete()
    begin = int(site.status()["last"])
    acknowledged, ages, over = [], [], threading.Event()

    def sample():
        while not over.wait(SAMPLE_S):
            has = site.archived() - begin
            now = time.monotonic()
            if len(acknowledged) > max(has, 0):
                ages.append(now - acknowledged[max(has, 0)])
            else:
                ages.append(0.0)

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    connection = UnixConnection(str(site.place / "run/http.sock"))
    until, due = time.monotonic() + seconds, time.monotonic()
    while time.monotonic() < until:
        connection.request("POST", "/api/v1/jobs", SPEC, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status >= 300:
            sys.exit(body.decode())
        acknowledged.append(time.monotonic())
        due += 1 / rate
        time.sleep(max(0.0, due - time.monotonic()))
    over.set()
    sampler.join()
    ages.sort()
    return {"submits_per_s": round(len(acknowledged) / seconds), "samples": len(ages), "p50_s": round(statistics.median(ages), 2),
            "p99_s": round(ages[len(ages) * 99 // 100], 2), "most_s": round(ages[-1], 2)}


def make_records(site, records):
    name = site.run("--server", site.place / "run", "-q", "run", "-d", "--gpus", "9", "--wait-for-nodes", "--array", ELEMENTS,
                    "--", "true").strip()
    while int(site.status()["last"]) < records:
        for change in ("hold", "release"):
            site.run("--server", site.place / "run", "jobs", change, name)


def measure_rto(site, history):
    shutil.rmtree(site.place / "state")
    begin = time.monotonic()
    flags = ["--history"] if history else []
    restored = json.loads(site.run("admin", "dr", "restore", *site.access, "--state", site.place / "state", "-o", "json",
                                   "--replace-claim", *flags))
    done = time.monotonic()
    site.start()
    answers = time.monotonic()
    eventually(lambda: site.up() == site.nodes, "all nodes are up", timeout=600)
    return {"records": restored["records"], "restore_s": round(done - begin, 1), "until_it_answers_s": round(answers - begin, 1),
            "until_all_nodes_are_up_s": round(time.monotonic() - begin, 1)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--nodes", type=int, default=12_500)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--history", action="store_true", help="restore all records, not only those after the newest snapshot")
    options = parser.parse_args()
    # The played agents and their controller are one process.
    files = 3 * options.nodes + 1_024
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < files:
        sys.exit(f"{options.nodes} nodes need {files} open files: raise the limit (ulimit -n), or name fewer (--nodes)")
    with tempfile.TemporaryDirectory(prefix="gp-dr-", dir="/var/tmp") as place:
        site = Site(options.binary, options.nodes, pathlib.Path(place))
        try:
            site.start()
            eventually(lambda: site.up() == options.nodes, "all nodes are up", timeout=600)
            result = {"rpo": measure_rpo(site, options.rate, options.seconds)}
            make_records(site, options.records)
            site.await_complete()
            site.kill()
            begin = time.monotonic()
            verified = json.loads(site.run("admin", "dr", "verify", *site.access, "-o", "json"))
            result["verify"] = {"objects": verified["objects"], "snapshots": verified["snapshots"], "faults": len(verified["faults"]),
                                "seconds": round(time.monotonic() - begin, 1)}
            result["rto"] = measure_rto(site, options.history)
        finally:
            if site.process:
                site.kill()
            site.server.stop()
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
