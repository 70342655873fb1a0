#!/usr/bin/python3
"""The Python client against a real controller: jobs, output over restarts, functions as jobs, checkpoints from inside."""

import asyncio
import os
import shutil
import socket
import sys
import textwrap
import threading
import time

from live_platform import ClusterTest, eventually, main

CLIENT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../clients/python"))
sys.path.insert(0, CLIENT)

import gpu_platform  # noqa: E402
from gpu_platform import JobState  # noqa: E402
from gpu_platform.job_queue import JobConfig, JobQueue, Priority  # noqa: E402

ANA = 1234
LINES = 2000


class PythonClient(ClusterTest):
    options = {"serve_flags": ("--http", "127.0.0.1:0"), "machine": "dgx-h100", "nodes": 1}

    def setUp(self):
        super().setUp()
        self.client = gpu_platform.Client(self.cluster.run_directory)
        # Where jobs of any user may read and write.
        self.shared = os.path.join(self.cluster.directory, "python")
        os.mkdir(self.shared)
        os.chmod(self.shared, 0o777)

    def submit(self, script, **asks):
        return self.client.submit(["sh", "-c", script], **{"gpus": 1, "directory": "/", **asks})

    def test_a_job_from_its_submit_to_its_end(self):
        job = self.submit("echo hello; echo oops >&2; exit 3", name="first", labels={"team": "a"}, environment={"X": "y"})
        self.assertEqual(job.wait(timeout=60).state, JobState.FAILED)
        self.assertEqual((job.exit_code, job.output(), job.output(errors=True)), (3, b"hello\n", b"oops\n"))
        self.assertEqual(job.logs(), "hello\noops\n", "what a failed job said, wherever")
        self.assertEqual("".join(job.follow()), "hello\n")
        self.assertEqual(job.fields["spec"]["labels"], {"team": "a"})
        self.assertEqual([one.id for one in self.client.jobs(all=True)], [job.id])
        self.assertEqual([one.id for one in self.client.jobs(states=["RUNNING"])], [])
        self.assertEqual(self.client.run(["true"], directory="/").state, JobState.COMPLETED)
        self.assertEqual(self.client.whoami()["user"], "root")
        self.assertEqual(len(self.client.cluster()["nodes"][0]["gpus"]), 8)
        self.assertEqual([queue["name"] for queue in self.client.queues()], ["default"])

    def test_all_that_a_job_can_ask_for_is_taken(self):
        asks = {"gpus": 2, "nodes": 1, "models": ["h100"], "share": 0.5, "gpu_memory": "10GiB", "isolation": "timeslice", "cpus": 2, "memory": "1GiB",
                "priority": 600, "time_limit": 90, "preemptible": True, "retries": 1, "checkpoint_directory": "/tmp/ckpt", "checkpoint_keep": 2, "queue": "default",
                "array": gpu_platform.Array(3, 1), "more": {"grace_ms": 1000}}
        job = self.client.submit(["sleep", "1000"], directory="/", **asks)
        spec = self.client.job(job.id + "[0]").fields["spec"]
        self.assertEqual((spec["gpus"]["share_thousandths"], spec["gpus"]["memory_mib"], spec["memory_bytes"], spec["time_limit_ms"], spec["grace_ms"]),
                         (500, 10240, 2**30, 90_000, 1000))
        self.assertEqual((spec["array"]["count"], spec["checkpoint_keep"], spec["retry"]["retries_max"]), (3, 2, 1))

    def test_mistakes_are_told_by_their_kind_and_place(self):
        with self.assertRaises(gpu_platform.InvalidArgument) as told:
            self.client.submit_specs([{"comand": ["true"]}])
        self.assertEqual(told.exception.places[0][0], "/specs/0/comand")
        self.assertIn("command", told.exception.places[0][1])
        for mistake in ({"isolation": "mgi"}, {"memory": "1 apple"}):
            with self.assertRaises(gpu_platform.InvalidArgument):
                self.client.submit(["true"], **mistake)
        with self.assertRaises(gpu_platform.InvalidArgument):
            self.client.submit("true")
        with self.assertRaises(gpu_platform.NotFound):
            self.client.job("job-9513")
        done = self.client.run(["true"], directory="/")
        with self.assertRaises(gpu_platform.Conflict):
            done.stop()
        with self.assertRaises(gpu_platform.Unavailable):
            gpu_platform.Client("/nowhere", patience=0.3).whoami()

    def test_over_tcp_by_a_token(self):
        port = self.cluster.http_port()
        secret = self.cli.as_user(ANA).json("tokens", "create", "test")["secret"]
        client = gpu_platform.Client(f"http://127.0.0.1:{port}", secret)
        self.assertEqual(client.whoami()["user"], f"uid-{ANA}")
        self.assertEqual(client.run(["id", "-u"], directory="/").output(), f"{ANA}\n".encode())
        with self.assertRaises(gpu_platform.PermissionDenied):
            client.connection.ask("PUT", "/api/v1/queues/x", body={})
        with self.assertRaises(gpu_platform.Unauthenticated):
            gpu_platform.Client(f"http://127.0.0.1:{port}").whoami()
        with self.assertRaises(gpu_platform.InvalidArgument):
            gpu_platform.Client("http://gpu.example.org", secret)

    def test_of_several_addresses_the_one_that_answers(self):
        secret = self.cli.json("tokens", "create", "test")["secret"]
        silent = socket.create_server(("127.0.0.1", 0))  # the kernel accepts, and nobody speaks
        self.addCleanup(silent.close)
        answers = f"http://127.0.0.1:{self.cluster.http_port()}"
        several = f"http://127.0.0.1:1, http://127.0.0.1:{silent.getsockname()[1]},{answers}"
        client = gpu_platform.Client(several, secret)
        self.assertEqual(client.whoami()["user"], "root")
        self.assertEqual(client.run(["echo", "here"], directory="/").output(), b"here\n")
        with self.assertRaises(gpu_platform.Unavailable) as told:
            gpu_platform.Client("http://127.0.0.1:1,http://127.0.0.1:2", secret, patience=0.3).whoami()
        self.assertIn("http://127.0.0.1:1,http://127.0.0.1:2", str(told.exception))
        for wrong, place in ((answers + ",", "''"), (answers + ",c2:8080", "'c2:8080'"), (f"{answers},/run/x", "'/run/x'"),
                             (",".join(f"http://127.0.0.1:{port}" for port in range(1, 18)), "at most 16"),
                             (answers + ",http://c2:8080", "only to this machine")):
            with self.assertRaises(gpu_platform.InvalidArgument) as told:
                gpu_platform.Client(wrong, secret)
            self.assertIn(place, str(told.exception))

    def test_nothing_is_lost_or_doubled_while_the_controller_is_killed(self):
        job = self.submit(f"n=0; while [ $n -lt {LINES} ]; do n=$((n+1)); echo line $n; [ $((n % 100)) = 0 ] && sleep 0.1; done; exit 5")
        codes = []
        waiter = threading.Thread(target=lambda: codes.append(self.client.job(job.id).wait().exit_code))

        def kill_often():
            for _ in range(3):
                time.sleep(0.4)
                self.cluster.controller.kill()
                time.sleep(0.2)
                self.cluster.start_controller()

        killer = threading.Thread(target=kill_often)
        waiter.start()
        killer.start()
        output = "".join(job.follow())
        killer.join()
        waiter.join()
        self.assertEqual(output, "".join(f"line {n}\n" for n in range(1, LINES + 1)))
        self.assertEqual(codes, [5])

    def test_one_key_is_one_job(self):
        answers = {self.client.submit(["true"], request_id="night-17", directory="/").id for _ in range(3)}
        self.assertEqual(len(answers), 1)
        self.assertEqual(len(list(self.client.jobs(all=True))), 1)

    def test_explain_says_why_and_what_would_help(self):
        holder = self.submit("sleep 1000", gpus=8)
        eventually(lambda: holder.refresh().state == JobState.RUNNING, "it runs")
        waits = self.submit("true", gpus=4)
        told = waits.explain()
        self.assertEqual(told["starts_now"], False)
        self.assertTrue(told["reasons"])
        self.assertTrue(self.client.explain(["true"], gpus=1, directory="/")["reasons"])
        holder.stop(force=True)
        self.assertEqual(waits.wait().state, JobState.COMPLETED)

    def test_asyncio(self):
        async def story():
            client = gpu_platform.AsyncClient(self.cluster.run_directory)
            jobs = await asyncio.gather(*(client.submit(["sh", "-c", f"sleep 1; echo {n}"], gpus=1, directory="/") for n in range(4)))

            async def output(job):
                return "".join([piece async for piece in job.follow()])

            self.assertEqual(await asyncio.gather(*map(output, jobs)), ["0\n", "1\n", "2\n", "3\n"])
            for job in jobs:
                self.assertEqual((await job.wait()).exit_code, 0)
            stopped = await client.submit(["sleep", "1000"], directory="/")
            async for now in stopped.watch():
                if now.fields["state"] == "RUNNING":
                    break
            await stopped.stop(force=True)
            self.assertEqual(await (await stopped.wait()).state(), JobState.CANCELLED)
            changes = client.events(["job"])
            begun = asyncio.ensure_future(changes.__anext__())
            await asyncio.sleep(0.5)
            last = await client.submit(["true"], directory="/")
            self.assertEqual((await asyncio.wait_for(begun, 30)).data["object"], last.id)
            await changes.aclose()
            endless = await client.submit(["sleep", "1000"], directory="/")
            with self.assertRaises(TimeoutError):
                await endless.wait(timeout=1)
            await endless.stop(force=True)

        asyncio.run(story())

    def test_functions_as_jobs(self):
        source = os.path.join(self.shared, "work.py")
        with open(source, "w") as file:
            file.write(textwrap.dedent(f"""
                import os, sys
                import gpu_platform

                client = gpu_platform.Client({self.cluster.run_directory!r}) if __name__ == "__main__" else None

                @gpu_platform.remote(client=client, gpus=2, directory={self.shared!r} + "/calls")
                def add(a, b=0):
                    return a + b, os.environ["CUDA_VISIBLE_DEVICES"].count("GPU-")

                @gpu_platform.remote(client=client, gpus=1, directory={self.shared!r} + "/calls")
                def fail():
                    raise ValueError("no")

                @gpu_platform.remote(client=client, gpus=1, directory={self.shared!r} + "/calls")
                def vanish():
                    os._exit(9)

                if __name__ == "__main__":
                    assert add(1, 2)[0:1] == (3,) if "CUDA_VISIBLE_DEVICES" in os.environ else True
                    print(add.submit(1, b=2).result(60))
                    try:
                        fail.submit().result(60)
                    except ValueError as error:
                        print("raised", error)
                    try:
                        vanish.submit().result(60)
                    except gpu_platform.RemoteError as error:
                        print("ended", error.job.exit_code)
                """))
        secret = self.cli.as_user(ANA).json("tokens", "create", "test")["secret"]
        self.assertTrue(secret)
        # As the user whose jobs they are, so that they may read the calls.
        package = os.path.join(self.shared, "gpu_platform")
        shutil.copytree(os.path.join(CLIENT, "gpu_platform"), package)
        import subprocess
        done = subprocess.run(["/usr/bin/python3", source], user=ANA, group=ANA, extra_groups=[], cwd="/", text=True, timeout=120, capture_output=True,
                              env={"PATH": os.environ["PATH"], "PYTHONPATH": self.shared, "HOME": "/"})
        self.assertEqual(done.stdout, "(3, 2)\nraised no\nended 9\n", done.stderr)

    def test_a_program_that_is_interrupted_goes_on(self):
        package = os.path.join(self.shared, "gpu_platform")
        shutil.copytree(os.path.join(CLIENT, "gpu_platform"), package)
        checkpoints = os.path.join(self.shared, "checkpoints")
        os.mkdir(checkpoints)
        os.chmod(checkpoints, 0o777)
        program = os.path.join(self.shared, "train.py")
        with open(program, "w") as file:
            file.write(textwrap.dedent("""
                import os, sys, time
                from gpu_platform import training

                def write(step):
                    return lambda path: open(path, "w").write(str(step))

                kept = training.Checkpoints()
                step = kept.load(lambda path: int(open(path).read())) or 0
                print("from", step, flush=True)
                while step < 20:
                    if training.is_stopping():
                        kept.save(step, write(step))
                        print("saved", step, flush=True)
                        sys.exit(143)
                    step += 1
                    training.progress(step, 20)
                    if step % 5 == 0:
                        kept.save(step, write(step), score=1 / step)
                    if step == 12 and os.environ.get("GP_ATTEMPT") == "1":
                        os._exit(1)
                    time.sleep(0.05)
                print("done", step)
                """))
        user = gpu_platform.Client(self.cluster.run_directory)
        job = user.submit(["/usr/bin/python3", program], gpus=1, directory="/", checkpoint_directory=checkpoints, environment={"PYTHONPATH": self.shared},
                          more={"retry": {"retries_max": 1, "on_failure": True, "backoff_min_ms": 100, "backoff_max_ms": 100}})
        self.assertEqual("".join(job.follow()), "from 0\nfrom 10\ndone 20\n")
        job.wait()
        self.assertEqual((job.state, job.fields["attempt"]), (JobState.COMPLETED, 2))
        steps = [one["step"] for one in job.fields["checkpoints"]]
        self.assertEqual(steps, [5, 10, 15, 20])
        self.assertTrue(all(one["complete"] for one in job.fields["checkpoints"]))

    def test_a_queue_of_three_priorities(self):
        queue = JobQueue(self.client)
        config = JobConfig(job_id="bert-1", user_id="ana", num_gpus=2, model_name="bert", command=["sh", "-c", "echo $MODEL_NAME"], asks={"directory": "/"})
        job_id = queue.submit_job(config, Priority.HIGH)
        self.assertEqual(queue.submit_job(config, Priority.HIGH), job_id)
        job = queue.get_job(job_id).wait()
        self.assertEqual((job.output(), job.fields["spec"]["priority"], job.fields["spec"]["labels"]), (b"bert\n", 750, {"user_id": "ana"}))
        self.assertEqual(queue.get_job_status(job_id), JobState.COMPLETED)
        retry = job.fields["spec"]["retry"]
        self.assertEqual((retry["on_failure"], retry["retries_max"]), (True, 3))  # with back-off, unless it is asked for otherwise
        once = queue.get_job(queue.submit_job(JobConfig(job_id="bert-2", command=["false"], max_retries=0, asks={"directory": "/"}))).wait()
        self.assertEqual((once.state, once.fields["attempt"], once.fields["spec"]["retry"]["on_failure"]), (JobState.FAILED, 1, False))
        self.assertEqual(queue.list_jobs(), [])


if __name__ == "__main__":
    main()
