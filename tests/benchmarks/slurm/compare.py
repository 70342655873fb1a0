#!/usr/bin/env python3
"""2,000 jobs of /bin/true, one GPU each, on 4 nodes x 8 GPUs: this platform against Slurm.

Both run on this machine, one after the other, from the first submit to the end of the last job.
Slurm comes from Debian (slurmctld, slurmd, slurm-client, munge), set up for throughput in a scratch
directory, on loopback; it is stopped again at the end.  Needs root.

Usage: compare.py --binary gpu-platform [--jobs 2000] [--runs 5] [--skip-slurm]
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "integration"))

from live_platform import slurm  # noqa: E402

NODES, GPUS = 4, 8
# Both systems keep small files for each job: where a disk is shared with others, memory shows what
# the programs take.  BENCH_DIRECTORY=/var/tmp measures the disk too.
DIRECTORY = os.environ.get("BENCH_DIRECTORY", "/dev/shm")
PACKAGES = ["slurmctld", "slurmd", "slurm-client", "munge", "slurm-wlm-basic-plugins"]


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout


class Platform:
    """A controller with four simulated nodes."""

    def __init__(self, binary, directory):
        self.binary = binary
        self.directory = directory
        self.environment = dict(os.environ, GPU_PLATFORM_SERVER=f"{directory}/run")
        self.process = subprocess.Popen(
            [binary, "serve", "-q", "--state", f"{directory}/state", "--run-dir", f"{directory}/run",
             "--simulate", f"dgx-h100:{NODES}"])
        self.await_gpus()

    def await_gpus(self):
        for _ in range(200):
            time.sleep(0.1)
            status = subprocess.run([self.binary, "status", "-o", "json"], env=self.environment,
                                    capture_output=True, text=True)
            if status.returncode == 0:
                gpus = [g for n in json.loads(status.stdout)["nodes"] for g in n["gpus"]]
                if sum(g["state"] == "AVAILABLE" for g in gpus) == NODES * GPUS:
                    return
        raise SystemExit("the platform did not come up")

    def jobs(self, count):
        return json.loads(run(self.binary, "bench", "jobs", "--count", str(count), env=self.environment))

    def stop(self):
        self.process.terminate()
        self.process.wait()


def bare_sync_ms(directory, count):
    """What the disk takes for the least that can be called durable, idle between: p50 and p99 of a 4 KiB overwrite."""
    times = []
    with tempfile.TemporaryFile(dir=directory) as file:
        file.write(bytes(1 << 24))
        file.flush()
        os.fsync(file.fileno())
        for i in range(count):
            time.sleep(0.05)
            begin = time.monotonic()
            os.pwrite(file.fileno(), bytes([i % 256]) * 4096, i * 4096)
            os.fdatasync(file.fileno())
            times.append((time.monotonic() - begin) * 1e3)
    times.sort()
    return {"p50": times[count // 2], "p99": times[count * 99 // 100]}


class SubmitLatency(Platform):
    def jobs(self, count):
        """One after the other, with rests between them (the machine sleeps) and without."""
        def measured(rest):
            return json.loads(run(self.binary, "bench", "submit", "--rest", rest, "--count", str(count), env=self.environment))
        return {"rested": measured("50ms"), "at_once": measured("0s"), "bare_sync_ms": bare_sync_ms(self.directory, count)}


class Slurm(slurm.Slurm):
    """A controller and four daemons of Slurm on this host."""

    def __init__(self, directory):
        super().__init__(directory, nodes=NODES, gpus=GPUS)

    def jobs(self, count):
        script = self.directory / "true.sh"
        script.write_text("#!/bin/sh\nexec /bin/true\n")
        begin = time.monotonic()
        run("sbatch", "-Q", "--parsable", f"--array=1-{count}", "-n1", "--gres=gpu:1", "-o", "/dev/null", str(script),
            env=self.environment)
        submitted = time.monotonic() - begin
        while run("squeue", "-h", "-r", "-t", "PD,R,CG,CF", env=self.environment).strip():
            time.sleep(0.2)
        seconds = time.monotonic() - begin
        return {"jobs": count, "submit_s": submitted, "seconds": seconds, "jobs_per_s": count / seconds}


def install_slurm():
    if shutil.which("slurmctld") and shutil.which("munged"):
        return
    # Debian's packages would start their daemons: this says no while they are installed.
    policy = pathlib.Path("/usr/sbin/policy-rc.d")
    ours = not policy.exists()
    if ours:
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
    try:
        run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES,
            env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))
    finally:
        if ours:
            policy.unlink()


def measure(make, count):
    directory = tempfile.mkdtemp(prefix="bench-", dir=DIRECTORY)
    system = None
    try:
        system = make(directory)
        system.jobs(50)  # warm
        return system.jobs(count)
    finally:
        if system:
            system.stop()
        shutil.rmtree(directory, ignore_errors=True)


def spawns_per_s(count):
    """Bare processes of the same program, one after the other: what the kernel takes."""
    begin = time.monotonic()
    for _ in range(count):
        os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
    return count / (time.monotonic() - begin)


def compared(arguments):
    """One run of each, on the same machine and at the same time of it."""
    result = {"spawns_per_s": spawns_per_s(arguments.jobs),
              "platform": measure(lambda d: Platform(arguments.binary, d), arguments.jobs)}
    result["of_spawns"] = result["platform"]["jobs_per_s"] / result["spawns_per_s"]
    if not arguments.skip_slurm:
        result["slurm"] = measure(Slurm, arguments.jobs)
        result["ratio"] = result["platform"]["jobs_per_s"] / result["slurm"]["jobs_per_s"]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=1, help="how often; the medians of the ratios are added")
    parser.add_argument("--skip-slurm", action="store_true", help="only this platform's jobs per second")
    parser.add_argument("--submit", action="store_true", help="only the latency of one job at a time")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("compare.py needs root: it starts agents that isolate, and Slurm's daemons")
    if arguments.submit:
        print(json.dumps(measure(lambda d: SubmitLatency(arguments.binary, d), 200), indent=2))
        return
    if not arguments.skip_slurm:
        install_slurm()
    runs = [compared(arguments) for _ in range(arguments.runs)]
    medians = {name: statistics.median(run[name] for run in runs) for name in ("ratio", "of_spawns") if name in runs[0]}
    print(json.dumps({"runs": runs, "medians": medians}, indent=2))


if __name__ == "__main__":
    main()
