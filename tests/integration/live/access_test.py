#!/usr/bin/python3
"""Roles, tokens and the audit on a real controller, over its socket and over TCP."""

import json
import os
import subprocess
import time

import grpc
from live_platform import ClusterTest, Cli, eventually, main
from live_platform.grpc_line import GrpcLine, load_service

ANA, BEN = 1234, 1235  # users without a name are called by their uid
DENIED, UNAUTHENTICATED, NOT_FOUND = 5, 5, 3
WRONG = "gpp_" + "0" * 64


class Access(ClusterTest):
    options = {"serve_flags": ("--listen", "127.0.0.1:0"), "machine": "dgx-h100", "nodes": 1}

    def setUp(self):
        super().setUp()
        self.ana, self.ben = self.cli.as_user(ANA), self.cli.as_user(BEN)
        self.address = f"127.0.0.1:{self.cluster.grpc_port()}"

    def grant(self, user, role, *flags):
        self.cli("roles", "grant", user, role, *flags).ok()

    def token(self, cli, *flags):
        reply = cli.json("tokens", "create", "test", *flags)
        return reply["secret"], reply["token"]["id"]

    def over_tcp(self, secret):
        return Cli(self.cli.binary, self.address, BEN, {"GPU_PLATFORM_TOKEN": secret})

    def audit(self, *flags):
        return self.cli.json("audit", "list", *flags).get("entries", [])

    def test_roles_say_what_users_may_do(self):
        self.cli("queues", "set", "team").ok()
        self.cli("queues", "set", "secret").ok()
        job = self.ana.start("--gpus", "1", "--queue", "team", command=["sleep", "1000"])
        self.assertEqual(self.ben("jobs", "hold", job).code, DENIED)
        self.assertEqual(self.ben("jobs", "kill", job).code, DENIED)
        self.grant(f"uid-{BEN}", "operator", "--queue", "team")
        self.assertIn("team", self.ben("whoami").ok().out)
        self.assertEqual(self.ben("jobs", "logs", job).code, DENIED)       # who cares for a queue reads no logs
        self.assertEqual(self.ben("drain", "--gpu-id", "dgx-h100-0/0").code, DENIED)
        self.assertEqual(self.ben("queues", "set", "team", "--weight", "3").code, DENIED)
        waiting = self.ana.start("--gpus", "8", "--queue", "team", "--env", "SECRET=hidden", command=["sleep", "1000"])
        self.assertNotIn("hidden", self.ben("jobs", "hold", waiting, "-o", "json").ok().out)  # nor what they run with
        self.assertIn("Environment SECRET=hidden", self.ana("jobs", "describe", waiting).ok().out)
        told = self.ben("jobs", "describe", waiting).ok().out
        self.assertNotIn("hidden", told)
        self.assertRegex(told, "Command +shown to its owner and to admins only")
        self.ben("jobs", "kill", waiting).ok()
        self.ben("jobs", "kill", job).ok()
        self.assertEqual(self.ana.wait(job), 130)
        self.grant("*", "none", "--queue", "secret")
        hidden = self.cli.start("--gpus", "1", "--queue", "secret", command=["sleep", "1000"])
        self.assertEqual(self.ben("jobs", "describe", hidden).code, NOT_FOUND)
        self.assertEqual(self.ben("jobs", "explain", hidden).code, NOT_FOUND)
        self.assertNotIn(hidden, [one["id"] for one in self.ben.jobs("--all")])
        self.assertEqual(self.ben("-q", "run", "-d", "--queue", "secret", "--", "true").code, DENIED)
        self.assertEqual(self.ben("-q", "run", "-d", "--project", "secret", "--", "true").code, DENIED)  # leads there too
        self.grant(f"uid-{BEN}", "admin", "--queue", "team")
        self.ben("queues", "set", "team/sub", "--weight", "3").ok()          # below one's queue
        self.ben("roles", "grant", f"uid-{ANA}", "viewer", "--queue", "team/sub").ok()
        self.assertEqual(self.ben("roles", "grant", f"uid-{BEN}", "admin").code, DENIED)
        self.assertEqual(self.ana("-q", "run", "-d", "--queue", "team/sub", "--", "true").code, DENIED)
        self.grant(f"uid-{BEN}", "none")
        self.cli("roles", "revoke", f"uid-{BEN}", "--queue", "team").ok()
        self.assertEqual(self.ben("jobs", "list").code, DENIED)
        self.assertIn("none", self.ben("whoami").ok().out)                   # one may always ask who one is

    def test_tokens_stand_for_their_users(self):
        secret, name = self.token(self.ana, "--role", "user")
        remote = self.over_tcp(secret)
        job = remote.start("--gpus", "1", command=["sh", "-c", "id -u"])
        self.assertEqual(remote.wait(job), 0)
        self.assertEqual(remote("jobs", "logs", job).ok().out.strip(), str(ANA))
        self.assertEqual(remote("tokens", "create", "another").code, DENIED)  # a token breeds no tokens
        self.assertEqual(remote("drain", "--gpu-id", "dgx-h100-0/0").code, DENIED)
        self.assertEqual(self.ana.by_token(secret).json("whoami")["token"], name)
        self.ana("tokens", "revoke", name).ok()
        self.assertEqual(remote("jobs", "list").code, UNAUTHENTICATED)

    def test_tokens_give_no_more_than_asked_for(self):
        self.cli("queues", "set", "team").ok()
        viewer = self.over_tcp(self.token(self.cli, "--role", "viewer")[0])   # root's own
        self.assertEqual(viewer("-q", "run", "-d", "--", "true").code, DENIED)
        viewer("status").ok()
        narrow = self.over_tcp(self.token(self.ana, "--queue", "team")[0])
        self.assertEqual(narrow("-q", "run", "-d", "--", "true").code, DENIED)
        narrow.start("--queue", "team", command=["true"])
        self.assertEqual(self.ana("tokens", "create", "x", "--role", "admin").code, DENIED)
        self.assertEqual(self.ana("tokens", "create", "x", "--user", "root").code, DENIED)
        self.grant(f"uid-{ANA}", "admin")
        self.assertEqual(self.ana("tokens", "create", "x", "--user", "root").code, DENIED)  # only root itself
        limited = self.over_tcp(self.token(self.ana, "--role", "admin", "--queue", "team")[0])
        self.assertEqual(limited("roles", "grant", "eva", "admin", "--queue", "team").code, DENIED)
        self.assertEqual(limited("tokens", "revoke", "token-1").code, NOT_FOUND)
        self.cli("roles", "revoke", f"uid-{ANA}").ok()
        self.assertEqual(self.ana("tokens", "list", "--all").code, DENIED)
        short = self.over_tcp(self.token(self.ana, "--expires", "1s")[0])
        eventually(lambda: short("jobs", "list").code == UNAUTHENTICATED, "the token has ended")

    def test_what_a_token_has_opened_ends_with_it(self):
        secret, name = self.token(self.ana, "--role", "user")
        job = self.ana.start("--gpus", "1", command=["sh", "-c", "echo on; sleep 1000"])
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "it runs")
        line = GrpcLine(load_service(), self.address, secret)
        self.addCleanup(line.close)
        streams = {method: line.stream(method, fields) for method, fields in
                   (("WatchChanges", {}), ("WatchJob", {"job_id": job}), ("ReadLog", {"job_id": job, "follow": True}))}
        self.assertEqual(next(streams["ReadLog"]).data, b"on\n")
        self.assertEqual(next(streams["WatchJob"]).id, job)
        # Typing goes on as long as one may.
        typed = self.over_tcp(secret).popen("jobs", "exec", job, "--", "cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(typed.kill)
        typed.stdin.write(b"before\n")
        typed.stdin.flush()
        self.assertEqual(typed.stdout.readline(), b"before\n")
        self.ana("tokens", "revoke", name).ok()
        for method, stream in streams.items():
            with self.subTest(method), self.assertRaises(grpc.RpcError) as ended:
                for _ in stream:
                    pass
            self.assertEqual(ended.exception.code(), grpc.StatusCode.UNAUTHENTICATED, ended.exception)
        time.sleep(2)
        typed.stdin.write(b"after\n")
        typed.stdin.flush()
        self.assertNotEqual(typed.wait(timeout=30), 0)
        self.assertNotIn(b"after", typed.communicate()[0])

    def test_nobody_calls_over_tcp_without_a_token(self):
        self.assertNotEqual(Cli(self.cli.binary, self.address)("jobs", "list").code, 0)
        for wrong in ("x", WRONG, "Bearer", "\u00e4", WRONG + "0"):
            self.assertEqual(self.over_tcp(wrong)("jobs", "list").code, UNAUTHENTICATED, wrong)
        far = Cli(self.cli.binary, "192.0.2.1:7070", extra={"GPU_PLATFORM_TOKEN": WRONG})("jobs", "list")
        self.assertIn("the authority of that controller is needed", far.err)
        named = Cli(self.cli.binary, "127.0.0.1.example:7070", extra={"GPU_PLATFORM_TOKEN": WRONG})("jobs", "list")
        self.assertIn("the authority of that controller is needed", named.err)

    def test_a_login_is_kept(self):
        home = os.path.join(self.cluster.directory, "home")
        os.makedirs(home, mode=0o700)
        secret, _ = self.token(self.cli, "--role", "viewer")
        cli = Cli(self.cli.binary, "", extra={"HOME": home, "XDG_CONFIG_HOME": ""})
        cli("login", self.address, input=secret.encode() + b"\n").ok()
        self.assertIn("viewer", cli("whoami").ok().out)
        self.assertIn("on the controller's machine", cli("dashboard").err, "the link is of the controller that answers")
        kept = os.path.join(home, ".config/gpu-platform/login.json")
        self.assertEqual(os.stat(kept).st_mode & 0o777, 0o600)
        os.chmod(kept, 0o644)
        self.assertIn("others can read it", cli("whoami").err)
        cli("logout").ok()
        self.assertFalse(os.path.exists(kept))
        for wrong in (b"wrong\n", WRONG.encode(), b"\xff\n"):
            self.assertEqual(cli("login", self.address, input=wrong).code, UNAUTHENTICATED)
        self.assertFalse(os.path.exists(kept))

    def test_the_audit_tells_who_did_what(self):
        job = self.ana.start("--gpus", "1", command=["sleep", "1000"])
        self.ben("jobs", "kill", job)
        self.over_tcp(WRONG)("jobs", "list")
        secret, _ = self.token(self.ana)
        self.over_tcp(secret)("jobs", "kill", job).ok()
        entries = eventually(lambda: len(self.audit()) >= 5 and self.audit(), "five entries")
        told = {(one.get("user", ""), one["operation"], one.get("object", ""), one.get("refused", False)) for one in entries}
        self.assertLessEqual({(f"uid-{ANA}", "SubmitJob", job, False), (f"uid-{BEN}", "ChangeJobs", "", True), ("", "ListJobs", "", True),
                              (f"uid-{ANA}", "IssueToken", "token-1", False), (f"uid-{ANA}", "StopJob", job, False)}, told)
        self.assertNotIn(secret, json.dumps(entries))
        last = next(one for one in entries if one["operation"] == "StopJob")
        self.assertTrue(last["from"].startswith("127.0.0.1:"), last)
        self.assertEqual({one["operation"] for one in self.audit("--refused")}, {"ChangeJobs", "ListJobs"})
        self.assertEqual({one["object"] for one in self.audit("--object", job)}, {job})
        self.assertEqual(self.ana("audit", "list").code, DENIED)

    def test_the_audit_survives_and_cannot_be_changed_unseen(self):
        directory = os.path.join(self.cluster.state, "audit")
        for _ in range(5):
            self.ana("-q", "run", "-d", "--", "true").ok()
        before = [one["number"] for one in self.audit()]
        self.cluster.controller.kill()
        path = os.path.join(directory, "audit-000001.jsonl")
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines[:-2])  # as if the crash had kept them from it
        self.cluster.start_controller()
        self.assertEqual([one["number"] for one in self.audit()][-len(before):], before)
        self.assertIn(f"{len(self.audit())} entries", self.cli("audit", "verify", directory).ok().out)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(f"uid-{ANA}", f"uid-{BEN}", 1))
        broken = self.cli("audit", "verify", directory)
        self.assertEqual(broken.code, 4)
        self.assertIn("does not follow", broken.err)


if __name__ == "__main__":
    main()
