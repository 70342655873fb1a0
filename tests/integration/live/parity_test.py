#!/usr/bin/python3
"""HTTP and gRPC are two ways into one controller: whatever is asked, both answer alike.

Two controllers without nodes live through the same random requests, one asked over HTTP, the other one over gRPC.
Each answer of one must be that of the other one, to the field, errors with their words; so must all that they remember
in the end.  Times and secrets differ and are left out.

GP_PARITY: number of requests.  GP_SEED: what is drawn."""

import json
import os
import random
import re
import unittest

import grpc
from google.protobuf import json_format

from live_platform import Cluster, UnixConnection, main
from live_platform import case
from live_platform.grpc_line import GrpcLine, load_service
from live_platform.requests import Drawer, Drawn

REQUESTS = int(os.environ.get("GP_PARITY", "1000"))
SEED = int(os.environ.get("GP_SEED", "1"))
# gRPC's name for what a problem is, by the problem's code.
CODES = {"invalid-argument": "INVALID_ARGUMENT", "not-found": "NOT_FOUND", "conflict": "FAILED_PRECONDITION", "permission-denied": "PERMISSION_DENIED",
         "unauthenticated": "UNAUTHENTICATED", "resource-exhausted": "RESOURCE_EXHAUSTED", "unavailable": "UNAVAILABLE", "unsupported": "UNIMPLEMENTED",
         "deadline-exceeded": "DEADLINE_EXCEEDED", "internal": "INTERNAL"}
# So that names which are drawn often mean something.
FIRST = [("PUT", "/api/v1/queues/research", "SetQueue", {"name": "research", "weight": 2}),
         ("PUT", "/api/v1/queues/research%2Fnlp", "SetQueue", {"name": "research/nlp"}),
         ("POST", "/api/v1/jobs", "SubmitJobs", {"specs": [{"name": "one", "command": ["true"], "gpus": {"count": 1}}]}),
         ("POST", "/api/v1/jobs", "SubmitJobs", {"specs": [{"name": "sweep", "command": ["true"], "array": {"count": 10}}]}),
         ("POST", "/api/v1/jobs", "SubmitJobs", {"specs": [{"name": "gang", "command": ["true"], "nodes": 2, "gpus": {"count": 8}, "queue": "research/nlp"}], "count": 3})]
# What no two controllers have alike: when it was, where it came from, what was drawn for it alone.
OWN = re.compile(r".*(_at|_at_ms|_ms|_ns|_s|_seconds)|secret|hash|from|chain|origin|lineage|epoch")
OF_ITS_OWN = "ReadJournal"  # each has the journal that it wrote
DIRECTORY = re.compile(r"\bgp-test-\w+")
TIMES = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z|\b(\d+(\.\d+)?(ms|s|m|h|d))+\b")


def common(value):
    """Without what may differ."""
    if isinstance(value, dict):
        return {key: common(child) for key, child in value.items() if not OWN.fullmatch(key)}
    if isinstance(value, list):
        return [common(child) for child in value]
    return TIMES.sub("<time>", DIRECTORY.sub("<directory>", value)) if isinstance(value, str) else value


class Twin:
    def __init__(self, test, binary=None):
        self.cluster = Cluster(binary or case.binary, nodes=0, serve_flags=("--listen", "127.0.0.1:0"))
        test.addCleanup(self.cluster.close)
        self.cluster.start()
        test.addCleanup(self.cluster.stop)
        for _ in range(3):  # the requests know of the first one's name, and may revoke it
            self.secret = self.cluster.cli.json("tokens", "create", "parity", "--role", "admin")["secret"]


class ByHttp(Twin):
    def __init__(self, test, binary=None):
        super().__init__(test, binary)
        self.line = UnixConnection(os.path.join(self.cluster.run_directory, "http.sock"), timeout=60)
        test.addCleanup(self.line.close)
        self.document = self.ask("GET", "/openapi.json")[1]

    def ask(self, method, target, body=None, key=None):
        self.line.request(method, target, body, {"Authorization": f"Bearer {self.secret}", **({"Idempotency-Key": key} if key else {})})
        answer = self.line.getresponse()
        return answer.status, json.loads(answer.read())

    def answer(self, drawn, key=None):
        status, document = self.ask(drawn.method, drawn.target, drawn.body, key)
        return (CODES[document["code"]], document["detail"], None) if status >= 400 else ("", "", document)


class ByGrpc(Twin):
    def __init__(self, test, service):
        super().__init__(test)
        self.line = GrpcLine(service, f"127.0.0.1:{self.cluster.grpc_port()}", self.secret)
        test.addCleanup(self.line.close)


class Parity(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.http, self.grpc = ByHttp(self), ByGrpc(self, load_service())
        self.operations = [(path, method.upper(), operation, operation["operationId"])
                           for path, methods in self.http.document["paths"].items() for method, operation in methods.items()
                           if operation["operationId"] in self.grpc.line.methods]
        self.operations = [one for one in self.operations if not self.grpc.line.methods[one[3]].server_streaming and one[3] != OF_ITS_OWN]

    def judge(self, name, drawn, key=None):
        code, words, document = self.http.answer(drawn, key)
        try:
            message = self.grpc.line.message(name, drawn.fields)
        except json_format.ParseError as error:  # two fields of which a message can have one
            self.assertIn("oneof", str(error))
            self.assertEqual(code, "INVALID_ARGUMENT", str(drawn))
            return code
        over_grpc = self.grpc.line.call(name, message, key)
        self.assertEqual((code, TIMES.sub("<time>", words)), (over_grpc[0], TIMES.sub("<time>", over_grpc[1])), str(drawn))
        if document is not None:
            told = json_format.MessageToDict(self.grpc.line.reply(name, document), preserving_proto_field_name=True)
            expected = json_format.MessageToDict(over_grpc[2], preserving_proto_field_name=True)
            self.assertEqual(common(told), common(expected), str(drawn))
        return code

    def test_whatever_is_asked(self):
        drawer = Drawer(self.http.document, random.Random(SEED))
        for method, target, name, fields in FIRST:
            in_path = [] if method == "POST" else ["name"]
            body = {key: value for key, value in fields.items() if key not in in_path}
            self.assertEqual(self.judge(name, Drawn(method, target, body=json.dumps(body), fields=fields)), "", name)
        counts = {}
        for number in range(REQUESTS):
            path, method, operation, name = self.operations[drawer.rng.randrange(len(self.operations))]
            drawn = drawer.valid(path, method, operation)
            if 0 < (drawn.fields.get("life_ms") or 0) < 3_600_000:
                continue  # whether it has ended by then is up to the moment
            with self.subTest(number=number):
                code = self.judge(name, drawn, drawer.rng.choice((None, None, f"key-{number}", f"key-{drawer.rng.randrange(number + 1)}")))
            counts[code or "OK"] = counts.get(code or "OK", 0) + 1
        for name in ("ListJobs", "ListQueues", "ListReservations", "ListRoles", "ListTokens", "ListAudit", "GetCluster"):
            (path, method, operation, _), *_ = [one for one in self.operations if one[3] == name]
            target = "?all=true" if name in ("ListJobs", "ListTokens") else ""
            self.judge(name, Drawn(method, path + target, fields={"all": True} if target else {}))
        print(f"{REQUESTS} requests of {len(self.operations)} operations: {counts}", flush=True)
        self.assertGreater(counts["OK"], REQUESTS / 10)

    def test_errors_have_details(self):
        call = self.grpc.line.channel.unary_unary("/gpu_platform.v1.Control/ListAudit")
        with self.assertRaises(grpc.RpcError) as refused:
            call(self.grpc.line.message("ListAudit", {"before": -1}).SerializeToString(), metadata=self.grpc.line.metadata, timeout=60)
        [details] = [value for key, value in refused.exception.trailing_metadata() if key == "grpc-status-details-bin"]
        for part in (b"google.rpc.ErrorInfo", b"INVALID_ARGUMENT", b"gpu-platform", b"google.rpc.BadRequest", b"before", b"must not be negative"):
            self.assertIn(part, details)


if __name__ == "__main__":
    main()
