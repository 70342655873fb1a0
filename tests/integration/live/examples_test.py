#!/usr/bin/python3
"""The examples as users run them, on simulated nodes: what they leave, print and survive, besides their exit codes.

examples/tasks.py is tested by launchers_test.py, bert_finetune.py by trainer_test.py, and ml_day by ml_day_test.py.  The tests
have no Blender: a stand-in records its arguments and writes the frames.
"""

import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import termios
import threading

from live_platform import ClusterTest, eventually, main
from live_platform.images import make_image

ROOT = pathlib.Path(__file__).resolve().parents[3]
ANA = 1234
PRICE = 2.50  # of a GPU-hour


class ExampleTest(ClusterTest):
    options = {"nodes": 2, "policy": f'prices: {{currency: USD, rules: [{{per_gpu_hour: "{PRICE}"}}]}}\n', "serve_flags": ("--min-run", "200ms")}

    def setUp(self):
        super().setUp()
        self.place = pathlib.Path(self.cluster.shared)
        self.examples = self.place / "copy/examples"  # the checkout may be closed to the jobs' user
        shutil.copytree(ROOT / "examples", self.examples, ignore=shutil.ignore_patterns("__pycache__", "heat"))
        shutil.copytree(ROOT / "clients/python/gpu_platform", self.place / "copy/clients/python/gpu_platform", ignore=shutil.ignore_patterns("__pycache__"))
        for path in [self.place / "copy", *(self.place / "copy").rglob("*")]:
            os.chown(path, ANA, ANA)
        self.user = self.cli.as_user(ANA)

    def start(self, script, *words, **options):
        environment = {"PATH": "/usr/bin:/bin", "HOME": "/", "LC_ALL": "C.UTF-8", "GPU_PLATFORM_SERVER": self.cluster.run_directory, **options.pop("env", {})}
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.examples, **options}
        return subprocess.Popen(["/usr/bin/python3", "-B", script, *map(str, words)], user=ANA, group=ANA, extra_groups=[], text=True, env=environment,
                                stdin=subprocess.DEVNULL, **options)

    def end(self, process, code=0):
        out, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, out + errors)
        self.assertNotIn("Traceback", errors)
        return out, errors

    def last_of(self, job, name, step):
        """The newest value of a metric, once that of the step has arrived."""
        def last():
            series = self.cli.json("jobs", "metrics", job, name).get("series", [])
            return series and series[0]["last"]["step"] >= step and series[0]["last"]
        return eventually(last, lambda: f"{name} of step {step}")["last"]

    def errors(self, job):
        return self.cli("jobs", "logs", job, "--stderr").out


class Training(ExampleTest):
    def test_a_training_shows_its_loss_its_cost_and_where_the_model_lies(self):
        directory = self.place / "copy/training"
        out, _ = self.end(self.start("submit_training_job.py", "--model", "words", "--steps", 120, "--pause", 0.01, "--refresh", 0.2, "--directory", directory))
        rows = dict(re.findall(r"^(job|loss|evaluation|checkpoint|model|cost) {2,}(.*)$", out, re.M))
        self.assertRegex(out, r"(?m)^checkpoint of step 30: .*/step-0{10}30$")
        job = self.assert_job("job-1", state="COMPLETED", attempt=1)
        self.assertEqual(rows["job"], "job-1 COMPLETED, exit code 0, attempts: 1")
        last, highest = map(float, re.match(r"([\d.]+) at step 120, at most ([\d.]+)$", rows["loss"]).groups())
        self.assertLess(last, 0.7 * highest)
        best = min((one["score"], one["path"]) for one in job["checkpoints"] if one["complete"])
        self.assertEqual((rows["evaluation"], rows["model"]), (f"{best[0]:.3f} at step 120", f"{best[1]}/model"))
        weights, _ = json.loads(pathlib.Path(rows["model"]).read_text())
        self.assertGreater(weights["recommend"], 0.0, "it has learned")
        gpu_hours = job["use"]["gpu_hours"]
        self.assertEqual(rows["cost"], f"{gpu_hours:.4f} GPU-hours, {job['use']['cost']:.4f} USD")
        self.assertAlmostEqual(job["use"]["cost"], gpu_hours * PRICE, 6)
        self.assertGreater(gpu_hours, 0.0)

    def test_a_failure_is_shown_with_its_exit_code_and_an_interrupt_leaves_the_job(self):
        out, errors = self.end(self.start("submit_training_job.py", "--retries", 0, "--refresh", 0.2, "--directory", self.place / "none",
                                          "--", "sh", "-c", "echo no data >&2; exit 7"), code=7)
        self.assertIn("FAILED, exit code 7", out)
        self.assertEqual(errors, "no data\n")
        process = self.start("submit_training_job.py", "--refresh", 0.2, "--directory", self.place / "none", "--", "sleep", "1000")
        eventually(lambda: self.cli.jobs() and self.cli.jobs()[0]["state"] == "RUNNING", "it runs")
        process.send_signal(signal.SIGINT)
        self.assertIn("keeps running", self.end(process, code=130)[1])
        self.assert_job("job-2", state="RUNNING")

    def test_the_queue_of_three_priorities_trains_a_model(self):
        place = self.examples / "classifier"
        for _ in range(2):  # the second one is the same job
            out, _ = self.end(self.start("quick_start.py", cwd=place, env={"PYTHONPATH": str(self.place / "copy/clients/python")}))
            self.assertEqual(out, "Job submitted: job-1\n")
        self.assertEqual(self.cli.wait("job-1"), 0, self.errors("job-1"))
        job = self.assert_job("job-1", state="COMPLETED", attempt=1)
        spec = job["spec"]
        self.assertEqual((spec["name"], spec["priority"], spec["gpus"]["count"], spec["labels"]), ("bert-finetune-001", 750, 2, {"user_id": "researcher-1"}))
        figures = json.loads((place / "output/metrics.json").read_text())
        self.assertEqual((figures["model_name"], figures["steps"], figures["sentences"]), ("bert-base-uncased", 120, 80))
        self.assertGreaterEqual(figures["test_accuracy"], 0.75)
        self.assertGreater((place / "output/model").stat().st_size, 1000)
        self.assertLess(self.last_of("job-1", "train/loss", 120), 0.5)


class Pipeline(ExampleTest):
    def rows(self, out):
        """By step: (state, attempts, result)."""
        return {step: (state, int(attempts), result) for step, state, attempts, result in
                re.findall(r"^(\w+) +job-\d+ +([A-Z]+) +(\d+) +[\d.]+ +(.+)$", out.split("\nSTEP")[1], re.M)}

    def test_a_step_that_fails_is_repeated_and_what_has_failed_is_not_published(self):
        work, store = self.place / "copy/work", self.place / "store"
        store.mkdir()
        os.chown(store, ANA, ANA)
        words = ["production_pipeline.py", "--work", work, "--refresh", 0.2, "--backoff", 0.2]
        out, _ = self.end(self.start(*words, "--fail-once", "train", "--publish-to", f"file://{store}"))
        rows = self.rows(out)
        self.assertEqual({step: row[:2] for step, row in rows.items()},
                         {"prepare": ("COMPLETED", 1), "train": ("COMPLETED", 2), "evaluate": ("COMPLETED", 1), "publish": ("COMPLETED", 1)})
        self.assertIn("150 sentences for training, 50 for evaluation", rows["prepare"][2])
        self.assertIn("from step 120", self.cli("jobs", "logs", "job-2").out, "its second attempt goes on at its checkpoint")
        evaluation = json.loads((work / "evaluation.json").read_text())
        self.assertGreaterEqual(evaluation["accuracy"], 0.8)
        self.assertIn(f"accuracy {evaluation['accuracy']:.3f}", rows["evaluate"][2])
        version = os.readlink(work / "published/current")
        self.assertEqual(sorted(path.name for path in (work / "published" / version).iterdir()), ["evaluation.json", "metrics.json", "model"])
        self.assertEqual((store / version / "model").read_bytes(), (work / "model/model").read_bytes())
        self.assertRegex(out, r"(?m)^0\.\d{4} GPU-hours, 0\.\d{4} USD$")

        out, errors = self.end(self.start(*words, "--accuracy", 1.01), code=1)
        rows = self.rows(out)
        self.assertEqual((rows["evaluate"][:2], rows["publish"][:2]), (("FAILED", 1), ("CANCELLED", 0)), "a bad model is no reason to try again")
        self.assertIn("is below 1.01", rows["evaluate"][2])
        self.assertIn("evaluate failed", errors)
        self.assertEqual(os.readlink(work / "published/current"), version)

        out, errors = self.end(self.start(*words, "--retries", 1, "--source", self.place / "nothing.tsv"), code=1)
        self.assertEqual({step: row[:2] for step, row in self.rows(out).items()},
                         {"prepare": ("FAILED", 2), "train": ("CANCELLED", 0), "evaluate": ("CANCELLED", 0), "publish": ("CANCELLED", 0)})
        self.assertIn("nothing.tsv: No such file or directory", errors)


class Dashboard(ExampleTest):
    def screen(self, *words, width=80):
        out, _ = self.end(self.start("monitoring_dashboard.py", "--once", "--width", width, *words))
        self.assertLessEqual(max(map(len, out.splitlines())), width)
        return out

    def watch(self):
        """(a monitor in a terminal of 80 columns, what it has drawn so far)."""
        ours, its = os.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = self.start("monitoring_dashboard.py", "--refresh", 0.2, stdout=its)
        os.close(its)
        drawn = []

        def read():
            try:
                while text := os.read(ours, 65536):
                    drawn.append(text.decode())
            except OSError:  # the terminal has no writer any more
                pass
            os.close(ours)

        reader = threading.Thread(target=read)
        reader.start()
        self.addCleanup(reader.join)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process, lambda: "".join(drawn).split("\x1b[H\x1b[2J\x1b[3J")[-1]

    def test_it_shows_gpus_queues_jobs_and_incidents(self):
        held = self.cli.start("--gpus", "8", "--name", "held", command=["sleep", "1000"])
        eventually(lambda: self.cli.job(held)["state"] == "RUNNING", "it runs")
        waits = self.cli.start("--gpus", "8", "--nodes", "2", "--name", "waits-with-a-long-name", command=["true"])
        node = self.cli.job(held)["attempts"][0]["ranks"][0]["node"]
        other = next(name for name in self.cluster.node_names() if name != node)
        with open(os.path.join(self.cluster.agent_state(int(other[-1])), "faults"), "a") as control:
            control.write("xid gpu=3 code=79\n")
        eventually(lambda: self.cli.json("incidents", "list").get("incidents"), "an incident is open")
        out = eventually(lambda: (text := self.screen()) and f"{other}  UP     ...x" in text and text, self.screen)
        self.assertRegex(out, rf"(?m)^{node} +UP +########  +[\d–]+ +[\d–]+ +[\d–]+ +default$")
        self.assertRegex(out, r"(?m)^default +1 +8 +– +1 +1 +\d")
        self.assertRegex(out, rf"(?m)^{held} +held +root +RUNNING +8 +– +\d+s +{node}\[0-7\]$")
        self.assertRegex(out, rf"(?m)^{waits} +waits-with-a-… +root +QUEUED +16 +– +\d+s +\w+$")
        self.assertRegex(out, rf"(?m)^incident-1 +OPEN +{other}\[3\] +XID 79 .*operator action required$")
        self.assertRegex(self.screen("--gpus", width=100), rf"(?m)^{node}\[7\] +IN_USE +[\d–]+ +[\d–]+ +(?:\d+/79|–) +{held}$")
        self.assertIn("and 1 more (--jobs)", self.screen("--jobs", 1))

    def test_it_survives_a_lost_controller_and_ends_by_an_interrupt(self):
        process, screen = self.watch()
        eventually(lambda: "no jobs run or wait" in screen(), screen)
        self.cluster.controller.kill()
        eventually(lambda: "no answer since" in screen() and "what was seen last" in screen(), screen)
        self.end(self.start("monitoring_dashboard.py", "--once"), code=1)
        self.cluster.start_controller()
        self.cli.start("--name", "after-all", command=["sleep", "1000"])
        eventually(lambda: "after-all" in screen() and "no answer" not in screen(), screen)
        process.send_signal(signal.SIGINT)
        self.assertEqual((process.wait(30), process.stderr.read()), (0, ""))
        process.stderr.close()


# Takes the arguments of Blender that the job file uses; the frame BREAKS is left incomplete by the first attempt, and the
# frame MISSES is not written.
BLENDER = """#!/bin/sh
echo "$GP_ARRAY_INDEX/$GP_ATTEMPT: $*" >> "$OUTPUT/calls"
[ "$1 $3" = "--background --engine" ] || exit 90
while [ "$1" != -- ]; do
  case "$1" in
    --render-output) to=$2;; --frame-start) from=$2;; --frame-end) last=$2;;
  esac
  shift
done
while [ "$from" -le "$last" ]; do
  frame=$(printf '%s%04d.png' "${to%####}" "$from")
  if [ "$from" = "$BREAKS" ] && [ "$GP_ATTEMPT" = 1 ]; then printf 'half' > "$frame"; exit 1; fi
  [ "$from" = "$MISSES" ] || echo "frame $from by $GP_ARRAY_INDEX of $GP_JOB_ID" > "$frame"
  from=$((from + 1))
done
"""


class Render(ExampleTest):
    def setUp(self):
        super().setUp()
        self.frames = self.place / "frames"
        self.bin = self.place / "bin"
        self.bin.mkdir()
        self.put(self.bin)

    def put(self, directory):
        (directory / "blender").write_text(BLENDER)
        (directory / "blender").chmod(0o755)

    def submit(self, *words, **env):
        env = {"SCENE": "/scene.blend", "OUTPUT": self.frames, "PATH": f"{self.bin}:/usr/bin:/bin", "LAST": 10, **env}
        return self.user("-q", "jobs", "submit", self.examples / "render.gpu.yaml", "--set", "array=3%2", "--set", "retry.backoff=100ms", "--set", "workdir=/",
                         *words, *(word for name, value in env.items() for word in ("--env", f"{name}={value}"))).ok().out.strip()

    def calls(self):
        return sorted(re.sub(r"(\d/\d): .*--frame-start (\d+) --frame-end (\d+) .*", r"\1 \2-\3", line) for line in (self.frames / "calls").read_text().splitlines())

    def test_elements_render_ranges_and_go_on_at_the_frame_that_broke(self):
        job = self.submit(BREAKS=5)
        self.assertEqual(self.cli.wait(job), 0, self.errors(job))
        self.assertEqual(self.calls(), ["0/1 1-3", "1/1 4-6", "1/2 5-6", "2/1 7-10"])
        texts = {path.name: path.read_text() for path in self.frames.glob("*.png")}
        owners = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
        self.assertEqual({name: text.split(" of ")[0] for name, text in texts.items()}, {f"frame_{n:04}.png": f"frame {n} by {owners[n - 1]}" for n in range(1, 11)})
        line = (self.frames / "calls").read_text().splitlines()[0]
        self.assertRegex(line, rf"--background /scene.blend --engine CYCLES --render-output {self.frames}/frame_#### --render-format PNG --use-extension 1 "
                               r"--frame-start \d+ --frame-end \d+ --render-anim -- --cycles-device OPTIX$")

    def test_blender_may_be_in_an_image_and_a_frame_that_is_missing_fails_its_element(self):
        image = self.place / "image"
        make_image(str(image))
        (image / "usr/bin").mkdir(exist_ok=True, parents=True)
        self.put(image / "usr/bin")
        self.frames.mkdir()
        os.chown(self.frames, ANA, ANA)
        job = self.submit("--set", f"image=dir:{image}", "--set", f"mounts=[{self.frames}]", "--set", "retry.max=0", PATH="/usr/bin:/bin", MISSES=9)
        self.assertEqual(self.cli.wait(job), 1)
        self.assertEqual([self.cli.job(f"{job}[{n}]")["state"] for n in range(3)], ["COMPLETED", "COMPLETED", "FAILED"])
        self.assertEqual(self.errors(f"{job}[2]"), "frame 9 is missing\n")
        self.assertEqual(len(list(self.frames.glob("*.png"))), 9)


class Solver(ExampleTest):
    # Both simulated nodes are this host, which Open MPI would otherwise notice, and share memory that the ranks do not share.
    # It has fewer cores than processes, which wait in a loop.
    ON_ONE_HOST = tuple(f"OMPI_MCA_{name}" for name in ("btl=tcp,self", "btl_tcp_if_include=lo", "oob_tcp_if_include=lo", "mpi_yield_when_idle=1"))

    def setUp(self):
        super().setUp()
        self.solver = self.examples / "mpi_solver"
        done = subprocess.run(["make", "-C", self.solver], capture_output=True, text=True, check=False)
        if done.returncode != 0 and "mpi.h: No such file" in done.stderr and os.environ.get("CI") != "true":
            self.skipTest("mpicc has no mpi.h: apt-get install libopenmpi-dev (tools/setup-debian --with-tests)")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def submit(self, name, *words):
        run = json.dumps(["./heat", *map(str, words)])
        return self.user("-q", "jobs", "submit", self.solver / "heat.gpu.yaml", "--set", f"workdir={self.solver}", "--set", f"run={run}",
                         "--set", f"checkpoint.dir={self.solver}/{name}", *(word for one in self.ON_ONE_HOST for word in ("--env", one))).ok().out.strip()

    def end(self, job):
        """(steps from which its attempts began, its last line)."""
        self.assertEqual(self.cli.wait(job, timeout="120s"), 0, self.errors(job))
        lines = self.cli("jobs", "logs", job).ok().lines
        return int(re.search(r"on 4 processes, from step (\d+)$", "\n".join(lines), re.M).group(1)), lines[-1]

    def test_it_is_right(self):
        begun, line = self.end(self.submit("small", "--size", 17, "--steps", 2000, "--tolerance", "1e-10", "--out", "field.txt"))
        self.assertRegex(line, r"^4 processes, \d+ steps, change \d\.\d+e-1\d, centre 25\.000000, digest [0-9a-f]{16}$", "by symmetry a quarter of 100")
        field = [list(map(float, row.split())) for row in (self.solver / "field.txt").read_text().splitlines()]
        self.assertEqual((begun, len(field), field[0], field[-1]), (0, 17, [100.0] * 17, [0.0] * 17))
        self.assertTrue(all(abs(row[x] - row[16 - x]) < 1e-6 for row in field for x in range(17)), "left and right are alike")

    def test_it_ends_after_a_preemption_as_if_it_had_not_been_stopped(self):
        sizes = ("--size", 64, "--steps", 1000, "--tolerance", "1e-12", "--checkpoint-every", 400)
        begun, whole = self.end(self.submit("whole", *sizes))
        self.assertEqual(begun, 0)
        job = self.submit("stopped", *sizes, "--pause-ms", 300)
        eventually(lambda: any(one["step"] == 400 and one["complete"] for one in self.cli.job(job).get("checkpoints", [])), lambda: str(self.cli.job(job)))
        urgent = self.cli.start("--nodes", "2", "--gpus", "8", "--priority", "900", command=["true"])
        self.assertEqual(self.cli.wait(urgent), 0)
        begun, line = self.end(job)
        self.assert_job(job, state="COMPLETED", attempt=2, preemptions=1)
        self.assertTrue(400 < begun < 1000, begun)
        self.assertEqual(line, whole)
        self.assertAlmostEqual(self.last_of(job, "change", 1000), float(re.search(r"change (\S+),", line).group(1)), 4)


if __name__ == "__main__":
    main()
