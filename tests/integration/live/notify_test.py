#!/usr/bin/python3
"""Receivers outside are notified of what happens: by webhooks, programs and mail, whatever dies meanwhile."""

import base64
import hashlib
import hmac
import http.server
import json
import os
import re
import ssl
import subprocess
import tempfile
import threading
import time

from live_platform import ClusterTest, eventually, main

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3)
KEY = bytes(range(32))
PROBLEMS, NOT_FOUND, UNAVAILABLE = 1, 3, 8


class Receiver:
    """A web server that keeps what it receives, and answers as the test demands."""

    def __init__(self, certificate=None):
        self.told = []
        self.answers = []  # status codes of the next requests; then 204
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                status = receiver.answers.pop(0) if receiver.answers else 204
                receiver.told.append((status, dict(self.headers.items()), body))
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def taken(self, type=None):
        """What it said yes to."""
        documents = [json.loads(body) for status, _, body in list(self.told) if status == 204]
        return [one for one in documents if type in (None, one["type"])]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Notifications(ClusterTest):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="gp-notify-", dir="/var/tmp")
        self.addCleanup(subprocess.run, ["rm", "-rf", self.place], check=True)
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        self.secret = self.file("secret", "whsec_" + base64.b64encode(KEY).decode() + "\n", 0o600)
        self.certificate = os.path.join(self.place, "receiver.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=hooks",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.certificate, "-out", os.path.join(self.place, "cert.pem")],
                       check=True, capture_output=True)
        with open(os.path.join(self.place, "cert.pem"), encoding="utf-8") as cert, open(self.certificate, "a", encoding="utf-8") as both:
            both.write(cert.read())
        self.encrypted = Receiver(self.certificate)
        self.addCleanup(self.encrypted.close)
        keep = self.file("keep.sh", f'#!/bin/sh\necho "$@" >> {self.place}/words\ncat >> {self.place}/programs\n', 0o755)
        mail = self.file("sendmail", f'#!/bin/sh\n(echo "$@"; cat) > {self.place}/letter.new && mv {self.place}/letter.new {self.place}/letter.$$\n', 0o755)
        self.path = self.file("notify.yaml", f"""
sendmail: {mail}
mail_from: gpu@example.org
receivers:
- {{name: bot, on: [job_submitted, job_ended], webhook: "http://127.0.0.1:{self.receiver.port}/hook?room=7", secret_file: {self.secret}}}
- {{name: safe, on: job_ended, where: {{state: [FAILED, TIMEOUT]}}, webhook: "https://127.0.0.1:{self.encrypted.port}/", authorities: {self.place}/cert.pem}}
- {{name: stranger, on: job_ended, webhook: "https://127.0.0.1:{self.encrypted.port}/never"}}
- {{name: script, on: job_ended, exec: [{keep}, --room, "gpu jobs"]}}
- {{name: people, on: job_ended, where: {{state: FAILED}}, mail: [ops@example.org, root]}}
""", 0o644)
        self.options = {"serve_flags": ("--notify", self.path)}
        super().setUp()

    def file(self, name, text, mode):
        path = os.path.join(self.place, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def read(self, name):
        path = os.path.join(self.place, name)
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read()

    def run_job(self, *command):
        job = self.cli.start("--env", "PASSWORD=hidden-word", command=list(command))
        self.cli.wait(job)
        return job

    def ended(self, receiver=None):
        return [one["data"]["job"] for one in (receiver or self.receiver).taken("job_ended")]

    def test_each_is_told_what_it_wants_in_its_way(self):
        good, bad = self.run_job("true"), self.run_job("sh", "-c", "exit 3")
        eventually(lambda: self.ended() == [good, bad], lambda: f"told in order: {self.receiver.told}")
        status, headers, body = next(one for one in self.receiver.told if b"job_ended" in one[2] and bad.encode() in one[2])
        self.assertEqual(status, 204)
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
        self.assertEqual(headers["webhook-signature"], expected)
        self.assertLess(abs(time.time() - int(headers["webhook-timestamp"])), 60)
        document = json.loads(body)
        self.assertEqual(document["id"], headers["webhook-id"])
        self.assertEqual((document["data"]["state"], document["data"]["exit_code"], document["level"]), ("FAILED", 3, "warning"))
        self.assertNotIn(b"hidden-word", b"".join(one[2] for one in self.receiver.told))
        eventually(lambda: self.ended(self.encrypted) == [bad], lambda: f"over TLS, what it wants: {self.encrypted.told}")
        self.assertNotIn("webhook-signature", {name.lower() for name in self.encrypted.told[0][1]})

        def programs():
            return [json.loads(line)["data"]["job"] for line in self.read("programs").splitlines()]
        eventually(lambda: programs() == [good, bad], programs)
        self.assertEqual(self.read("words").splitlines()[0], "--room gpu jobs")

        def letters():
            return [self.read(name) for name in os.listdir(self.place) if name.startswith("letter.") and name != "letter.new"]
        eventually(lambda: len(letters()) == 1, letters)
        head, text = letters()[0].split("\n\n", 1)
        self.assertTrue(head.startswith("-t -i\nTo: ops@example.org,\n root\nFrom: gpu@example.org\nSubject: [gpu-platform] job ended: " + bad), head)
        self.assertIn("exit_code: 3", text)
        # Nobody vouches for that certificate: nothing is sent there, and the controller says so.
        eventually(lambda: "notify: stranger: " in self.cluster.controller.text(), self.cluster.controller.text)
        self.assertEqual([body for _, _, body in self.encrypted.told], [body for _, _, body in self.encrypted.told if bad.encode() in body])

    def test_a_receiver_that_is_away_is_told_later(self):
        self.receiver.answers = [500, 503, 429]
        first = self.run_job("true")
        eventually(lambda: self.ended() == [first], lambda: f"tried again: {self.receiver.told}", timeout=30)
        refused = [json.loads(body)["id"] for status, _, body in self.receiver.told if status != 204]
        self.assertEqual(len(refused), 3)
        self.assertEqual(set(refused), {self.receiver.taken()[0]["id"]}, "the oldest first")
        eventually(lambda: "bot: is reached again" in self.cluster.controller.text(), self.cluster.controller.text)
        # One that it refuses holds up no other.
        self.receiver.answers = [400]
        second = self.run_job("true")
        eventually(lambda: self.ended() == [first, second], lambda: f"goes on: {self.receiver.told}")
        kept = os.path.join(self.cluster.state, "notify", "bot", "refused")
        self.assertEqual(len(os.listdir(kept)), 1)
        self.assertIn("error: notify: bot: 127.0.0.1 answers 400", self.cluster.controller.text())

    def test_nothing_is_lost_when_the_controller_is_killed(self):
        port = self.receiver.port
        self.receiver.close()
        jobs = []
        for _ in range(3):
            jobs.append(self.run_job("true"))
            self.cluster.controller.kill()
            self.cluster.start_controller()
            self.cluster.await_gpus()
        back = http.server.ThreadingHTTPServer(("127.0.0.1", port), self.receiver.server.RequestHandlerClass)
        self.addCleanup(back.server_close)
        self.addCleanup(back.shutdown)
        threading.Thread(target=back.serve_forever, daemon=True).start()
        eventually(lambda: set(self.ended()) == set(jobs), lambda: f"all were notified: {self.receiver.told}", timeout=90)
        self.assertEqual(len({one["id"] for one in self.receiver.taken("job_ended")}), len(jobs), "a repeated notification has the same id")

    def test_how_receivers_stand_is_shown(self):
        settings = self.cli.json("config", "running")
        self.assertEqual([(one["name"], one["way"]) for one in settings["receivers"]],
                         [("bot", "webhook"), ("safe", "webhook"), ("stranger", "webhook"), ("script", "exec"), ("people", "mail")])
        self.run_job("true")
        stranger = {}

        def waits():
            stranger.update(next(one for one in self.cli.json("config", "running")["receivers"] if one["name"] == "stranger"))
            return stranger["waiting"] == 1 and "certificate" in stranger["problem"]
        eventually(waits, lambda: f"{stranger}")
        self.assertNotIn("room=7", json.dumps(settings))

    def test_files_are_checked_and_tried(self):
        checked = self.cli("notify", "check", self.path).ok()
        self.assertNotIn("room=7", checked.out)
        told = self.cli.json("notify", "test", self.path, "bot")
        self.assertEqual(self.receiver.taken("test")[0]["id"], told["id"])
        self.assertEqual(self.cli("notify", "test", self.path, "stranger").code, UNAVAILABLE)
        nobody = self.cli("notify", "test", self.path, "bott")
        self.assertEqual(nobody.code, NOT_FOUND)
        self.assertIn("there are bot, ", nobody.err)
        os.chmod(self.secret, 0o644)
        open_secret = self.cli("notify", "check", self.path)
        self.assertEqual(open_secret.code, PROBLEMS)
        self.assertIn("others may read this secret", open_secret.out)
        self.assertNotIn(base64.b64encode(KEY).decode(), open_secret.out + open_secret.err)


class OfSingleJobs(ClusterTest):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="gp-notify-", dir="/var/tmp")
        self.addCleanup(subprocess.run, ["rm", "-rf", self.place], check=True)
        self.path = os.path.join(self.place, "notify.yaml")
        self.mail = os.path.join(self.place, "sendmail")
        with open(self.mail, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\ncat > {self.place}/new.$$ && mv {self.place}/new.$$ {self.place}/letter.$$\n')
        os.chmod(self.mail, 0o755)
        self.write('- {name: mail-me, jobs: true, mail: ["{user}@example.org"]}', "- {name: ops, on: node_lost, mail: [ops]}")
        self.options = {"serve_flags": ("--notify", self.path)}
        super().setUp()

    def write(self, *receivers):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(f"sendmail: {self.mail}\nreceivers:\n" + "\n".join(receivers) + "\n")

    def letters(self):
        texts = []
        for name in os.listdir(self.place):
            if name.startswith("letter."):
                with open(os.path.join(self.place, name), encoding="utf-8") as file:
                    texts.append(file.read())
        return texts

    def test_a_job_says_who_hears_of_it_and_receivers_come_and_go(self):
        quiet = self.cli.start(command=["true"])
        told = self.cli.start("--notify", "mail-me", command=["true"])
        self.cli.wait(quiet, told)
        eventually(lambda: len(self.letters()) == 1, self.letters)
        self.assertIn("To: root@example.org\n", self.letters()[0])
        self.assertIn(told, self.letters()[0])
        nobody = self.cli("run", "--notify", "mail-you", "--", "true")
        self.assertEqual(nobody.code, 2)
        self.assertIn('there is no receiver "mail-you": jobs may name mail-me', nobody.err)
        self.assertIn("jobs may name mail-me", self.cli("run", "--notify", "ops", "--", "true").err, "which is not for jobs")
        # Only failures, of a job file.
        notify = {"to": "mail-me", "on": ["failed"]}
        self.cli.wait(*self.cli.submit({"notify": notify, "run": "true"}), *self.cli.submit({"notify": notify, "run": "exit 3"}))
        eventually(lambda: len(self.letters()) == 2, self.letters)
        self.assertEqual(sum("exit_code: 3" in letter for letter in self.letters()), 1)
        # Receivers change while the controller runs.
        self.write('- {name: mail-me, jobs: true, on: job_submitted, mail: ["{user}@example.net"]}', "- {name: chat, jobs: true, mail: [chat]}")
        self.assertEqual(self.cli("config", "reload").ok().out.splitlines(), ["receiver mail-me: changed", "receiver ops: gone", "receiver chat: new"])
        self.cli.wait(self.cli.start("--notify", "mail-me,chat", command=["true"]))
        eventually(lambda: len(self.letters()) == 5, self.letters)
        self.assertEqual(sum("To: chat\n" in letter for letter in self.letters()), 1)
        self.assertEqual(sum("To: root@example.net\n" in letter for letter in self.letters()), 2, "submitted, and ended")
        self.write("- {name: chat, jobs: yes, mail: [chat]}")
        self.assertEqual(self.cli("config", "reload").code, 2)
        self.assertEqual([one["name"] for one in self.cli.json("config", "running")["receivers"]], ["mail-me", "chat"])


class FakeMlflow:
    """Those calls of MLflow's REST API that the program of docs/how-to/notifications.md makes; it is no MLflow."""

    def __init__(self):
        self.runs = {}
        self.is_away = False
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                fields = json.loads(self.rfile.read(int(self.headers["content-length"])))
                name = self.path.removeprefix("/api/2.0/mlflow/runs/")
                answer = None if fake.is_away else getattr(fake, name.replace("-", "_"))(**fields)
                self.send_response(503 if answer is None else 200)
                self.end_headers()
                self.wfile.write(json.dumps(answer).encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def create(self, experiment_id, run_name, start_time, tags):
        assert (experiment_id, type(start_time)) == ("0", int)
        run = {"info": {"run_id": f"{len(self.runs):032x}", "run_name": run_name, "status": "RUNNING"}, "tags": {one["key"]: one["value"] for one in tags}, "metrics": []}
        self.runs[run["info"]["run_id"]] = run
        return {"run": {"info": run["info"]}}

    def search(self, experiment_ids, filter):
        key, value = re.fullmatch(r"tags\.(\w+) = '([^']*)'", filter).groups()
        found = [{"info": run["info"]} for run in self.runs.values() if run["tags"].get(key) == value]
        return {"runs": found} if found else {}

    def log_batch(self, run_id, metrics):
        for one in metrics:
            assert set(one) == {"key", "value", "step", "timestamp"} and isinstance(one["value"], (int, float)), one
        self.runs[run_id]["metrics"] += metrics
        return {}

    def update(self, run_id, status, end_time):
        self.runs[run_id]["info"] |= {"status": status, "end_time": end_time}
        return {"run_info": self.runs[run_id]["info"]}

    def of(self, job):
        return next((run for run in self.runs.values() if run["tags"]["gpu_platform_job"] == job), {"info": {}, "metrics": []})

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class OfMetrics(ClusterTest):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="gp-notify-", dir="/var/tmp")
        self.addCleanup(subprocess.run, ["rm", "-rf", self.place], check=True)
        self.mlflow, self.receiver = FakeMlflow(), Receiver()
        self.addCleanup(self.mlflow.close)
        self.addCleanup(self.receiver.close)
        with open(os.path.join(ROOT, "docs/how-to/notifications.md"), encoding="utf-8") as page:
            [program] = re.findall(r"```python\n(.*?)```", page.read(), re.S)
        self.write("to-mlflow", program, 0o755)
        path = self.write("notify.yaml", f"""
receivers:
- {{name: mlflow, on: job_metrics, metrics_every: 1s, exec: [{self.place}/to-mlflow, "http://127.0.0.1:{self.mlflow.server.server_port}"]}}
- {{name: hook, on: [job_metrics, job_ended], metrics_every: 1s, webhook: "http://127.0.0.1:{self.receiver.port}/"}}
- {{name: late, on: job_metrics, metrics_every: 1h, where: {{name: told}}, webhook: "http://127.0.0.1:{self.receiver.port}/late"}}
""", 0o644)
        self.options = {"serve_flags": ("--notify", path)}
        super().setUp()

    def write(self, name, text, mode):
        path = os.path.join(self.place, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def report(self, name, script):
        return self.cli.submit({"name": name, "run": script, "resources": {"gpus": 1}})[0]

    def test_mlflow_has_a_run_of_each_job(self):
        seen = f"{self.cluster.shared}/seen"
        good = self.report("good", 'for i in $(seq 4); do echo "metric step=$i loss=0.$i lr=0.5" > $GP_REPORT; sleep 1.2; done; '
                                   f'until [ -e {seen} ]; do sleep 0.1; done; echo "metric step=9 lr=nan" > $GP_REPORT')
        bad = self.report("bad", 'echo "metric step=1 loss=7" > $GP_REPORT; exit 3')
        eventually(lambda: len({one["step"] for one in self.mlflow.of(good)["metrics"]}) > 1, "values while it runs")
        self.assertEqual(self.mlflow.of(good)["info"]["status"], "RUNNING")
        self.mlflow.is_away = True
        with open(seen, "w", encoding="utf-8"):
            pass
        self.cli("jobs", "wait", good).ok()
        self.mlflow.is_away = False
        eventually(lambda: [self.mlflow.of(job)["info"].get("status") for job in (good, bad)] == ["FINISHED", "FAILED"], lambda: self.mlflow.runs, timeout=60)
        values = self.mlflow.of(good)["metrics"]
        self.assertEqual([one["value"] for one in values if (one["key"], one["step"]) == ("loss", 4)][:1], [0.4])
        self.assertNotIn(9, [one["step"] for one in values], "NaN is left out")
        self.assertEqual({(one["key"], one["step"], one["value"]) for one in self.mlflow.of(bad)["metrics"]}, {("loss", 1, 7)})
        self.assertEqual(len(self.mlflow.runs), 2)

    def test_a_hook_is_told_the_last_values_once_and_after_a_restart_those_of_running_jobs(self):
        told = self.report("told", 'echo "metric step=1 loss=inf acc=0.5" > $GP_REPORT; sleep 60')
        silent = self.report("silent", "true")
        eventually(lambda: self.receiver.taken("job_metrics"), "the values")
        [first] = [one["data"] for one in self.receiver.taken("job_metrics")]
        self.assertEqual((first["job"], first["name"], first["last"]), (told, "told", False))
        self.assertEqual([(one["name"], one["step"], one["value"], one.get("not_finite")) for one in first["metrics"]], [("acc", 1, 0.5, None), ("loss", 1, None, "inf")])
        self.cluster.controller.kill()
        self.cluster.start_controller()
        eventually(lambda: len(self.receiver.taken("job_metrics")) == 2, "again")
        self.cli("jobs", "cancel", told).ok()
        # Both hooks hear of the end, the second only of it.
        eventually(lambda: len(self.receiver.taken("job_metrics")) == 4, "the end")
        for one in self.receiver.taken("job_metrics")[2:]:
            self.assertEqual((one["data"]["job"], one["data"]["last"], one["data"]["state"], one["data"]["metrics"]), (told, True, "CANCELLED", first["metrics"]))
        eventually(lambda: {one["data"]["job"] for one in self.receiver.taken("job_ended")} == {told, silent}, "events come too")


if __name__ == "__main__":
    main()
