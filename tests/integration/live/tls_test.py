#!/usr/bin/python3
"""Encryption: an agent that comes over a network by a certificate, users by tokens, browsers by HTTPS."""

import http.client
import os
import re
import socket
import ssl
import sys

from live_platform import ClusterTest, Cli, eventually, main

sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../clients/python")))
import gpu_platform  # noqa: E402

UNAUTHENTICATED = 5


class Encrypted(ClusterTest):
    options = {"serve_flags": ("--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--tls", "--tls-name", "gpu.example.org", "--node-certificates", "12s"),
               "machine": "dgx-h100", "nodes": 1}

    def setUp(self):
        super().setUp()
        text = eventually(lambda: "the authority is" in self.cluster.controller.text() and self.cluster.controller.text(), "the controller prints the authority")
        self.address = f"127.0.0.1:{self.cluster.grpc_port()}"
        self.port = self.cluster.http_port()
        self.authority = re.search(r"sha256:[0-9a-f]{64}", text).group(0)

    def far_agent(self, name="far", authority=None, join_token=None):
        agent = self.cluster._daemon(f"agent-{name}", "agent", "--controller", self.address, "--authority", authority or self.authority,
                                     "--join-token-file", join_token or os.path.join(self.cluster.state, "join-token"), "--simulate", "dgx-h100",
                                     "--node-index", "7", "--name", name, "--state", self.far_state(name))
        agent.start()
        self.cluster.agents.append(agent)
        return agent

    def far_state(self, name="far"):
        return os.path.join(self.cluster.directory, f"state-{name}")

    def condition(self, name="far"):
        return next((one["state"] for one in self.cli.cluster()["nodes"] if one["name"] == name), "")

    def certificates(self):
        entries = self.cli.json("audit", "list").get("entries", [])
        told = [one for one in entries if one["operation"] == "CertifyNode" and not one.get("refused", False)]
        return sorted(told, key=lambda one: one["number"])

    def over_tcp(self, secret, authority):
        return Cli(self.cli.binary, self.address, extra={"GPU_PLATFORM_TOKEN": secret, "GPU_PLATFORM_AUTHORITY": authority})

    def test_an_agent_gets_a_certificate_and_renews_it(self):
        self.far_agent()
        eventually(lambda: self.condition() == "UP", lambda: "the node is here" + self.cluster.logs())
        self.assertEqual(os.stat(os.path.join(self.far_state(), "identity.pem")).st_mode & 0o777, 0o600)
        self.cli("drain", "--node", "dgx-h100-0").ok()
        job = self.cli.start("--gpus", "8", command=["sh", "-c", "echo hello; sleep 15; echo bye"])
        eventually(lambda: len(self.certificates()) >= 2, "it is renewed", timeout=30)
        self.assertIn("by the join token", self.certificates()[0]["details"])
        self.assertIn("by the one before", self.certificates()[1]["details"])
        self.assertEqual(self.cli.wait(job), 0)
        self.assertEqual(self.cli("jobs", "logs", job).ok().out.split(), ["hello", "bye"])  # through a tunnel
        self.assertEqual(len(self.cli.job(job)["attempts"]), 1)

    def test_a_node_that_was_revoked_stays_away(self):
        agent = self.far_agent()
        eventually(lambda: self.condition() == "UP", lambda: "the node is here" + self.cluster.logs())
        self.cli("nodes", "revoke", "far").ok()
        eventually(lambda: "was revoked" in agent.text(), lambda: "its agent is notified\n" + agent.text())
        eventually(lambda: self.condition() != "UP", "it is silent", timeout=30)
        agent.stop()
        os.remove(os.path.join(self.far_state(), "identity.pem"))
        agent.start()
        eventually(lambda: self.condition() == "UP", "it has joined again")

    def test_a_join_token_of_its_own_lets_a_node_in_once(self):
        document = self.cli.json("nodes", "join-token", "far")
        self.assertEqual(document["node"], "far")
        token = os.path.join(self.cluster.directory, "far.token")
        with open(token, "w", encoding="ascii") as file:
            file.write(document["secret"] + "\n")
        other = self.far_agent("other", join_token=token)
        eventually(lambda: "this is no join token of node other" in other.text(), other.text)
        eventually(lambda: not other.runs(), "it has ended")
        self.cluster.agents.remove(other)
        agent = self.far_agent(join_token=token)
        eventually(lambda: self.condition() == "UP", lambda: "the node is here" + self.cluster.logs())
        self.assertIn("by its single-use join token", self.certificates()[0]["details"])
        self.cli("nodes", "revoke", "far").ok()
        agent.stop()
        os.remove(os.path.join(self.far_state(), "identity.pem"))
        again = self.far_agent(join_token=token)
        eventually(lambda: "was used" in again.text() and not again.runs(), again.text)
        self.cluster.agents.remove(again)
        self.cluster.agents.remove(agent)

    def test_an_agent_knows_its_controller(self):
        agent = self.far_agent("wrong", "sha256:" + "0" * 64)
        eventually(lambda: "another authority vouches for it" in agent.text(), agent.text)
        eventually(lambda: not agent.runs(), "it has ended")
        agent.stop()
        self.cluster.agents.remove(agent)

    def test_users_know_their_controller(self):
        secret = self.cli.json("tokens", "create", "test")["secret"]
        self.assertIn("root", self.over_tcp(secret, self.authority)("whoami").ok().out)
        self.assertNotEqual(self.over_tcp(secret, "sha256:" + "0" * 64)("whoami").code, 0)
        self.assertNotEqual(self.over_tcp(secret, "")("whoami").code, 0)  # in the clear
        home = os.path.join(self.cluster.directory, "home")
        os.makedirs(home, mode=0o700)
        cli = Cli(self.cli.binary, "", extra={"HOME": home, "XDG_CONFIG_HOME": ""})
        cli("login", self.address, "--authority", self.authority, input=secret.encode() + b"\n").ok()
        job = cli.start("--gpus", "1", command=["echo", "far"])
        self.assertEqual(cli.wait(job), 0)
        self.assertEqual(cli("jobs", "logs", job).ok().out.strip(), "far")

    def test_an_authority_comes_from_whichever_controller_answers(self):
        secret = self.cli.json("tokens", "create", "test")["secret"]
        several = f"127.0.0.1:1,{self.address}"
        one_of_all = self.cli.by_token(secret, several)
        one_of_all.extra["GPU_PLATFORM_AUTHORITY"] = self.authority
        self.assertIn("root", one_of_all("whoami").ok().out)
        one_of_all.extra["GPU_PLATFORM_AUTHORITY"] = "sha256:" + "0" * 64
        self.assertIn("another authority", one_of_all("whoami").err)

    def context(self):
        """Of a browser that trusts the authority."""
        with open(os.path.join(self.cluster.state, "authority.pem"), encoding="ascii") as file:
            text = file.read()
        return ssl.create_default_context(cadata=text[text.index("-----BEGIN CERTIFICATE-----"):])

    def ask(self, context, host="127.0.0.1"):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=10)
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        connection.sock = context.wrap_socket(raw, server_hostname=host)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status
        finally:
            connection.close()

    def test_https(self):
        self.assertEqual(self.ask(self.context()), 200)
        self.assertEqual(self.ask(self.context(), "localhost"), 200)
        self.assertEqual(self.ask(self.context(), "gpu.example.org"), 200)
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.ask(self.context(), "elsewhere.example.org")
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.ask(ssl.create_default_context())  # who does not know the authority

    def test_nothing_below_tls_1_2(self):
        for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
            context = self.context()
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = version
            with self.assertRaises(ssl.SSLError, msg=version):
                self.ask(context)
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = self.context()
            context.minimum_version = context.maximum_version = version
            self.assertEqual(self.ask(context), 200, version)

    def test_nothing_in_the_clear(self):
        for port in (self.port, int(self.address.split(":")[1])):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as plain:
                plain.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertNotIn(b"200", plain.recv(4096))


class Relayed(ClusterTest):
    """A controller that is reached at an address of another one: its certificate does not have that name."""

    options = {"serve_flags": ("--http", "0.0.0.0:0", "--tls"), "machine": "dgx-h100", "nodes": 1}

    def test_the_name_of_all_controllers_counts(self):
        secret = self.cli.json("tokens", "create", "test")["secret"]
        with open(os.path.join(self.cluster.state, "authority.pem"), encoding="ascii") as file:
            text = file.read()
        authority = text[text.index("-----BEGIN CERTIFICATE-----"):]
        elsewhere = [f"https://127.0.0.{host}:{self.cluster.http_port()}" for host in (2, 3)]
        client = gpu_platform.Client(",".join(elsewhere), secret, authority)
        self.assertEqual(client.whoami()["user"], "root")
        for server, trusted in ((elsewhere[0], authority), (",".join(elsewhere), None)):
            with self.assertRaises(gpu_platform.Unauthenticated):
                gpu_platform.Client(server, secret, trusted).whoami()


if __name__ == "__main__":
    main()
