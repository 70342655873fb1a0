#!/usr/bin/python3
"""Every operation of the contract, asked at random: what it allows and what it does not.  No answer is an error of the
server's, none is outside the contract, and afterwards the controller is as sound as before.

GP_REQUESTS: number of each kind for each operation.  GP_SEED: what is drawn."""

import http.client
import json
import os
import random

from live_platform import ClusterTest, Contract, UnixConnection, main
from live_platform.requests import Drawer

REQUESTS = int(os.environ.get("GP_REQUESTS", "25"))
SEED = int(os.environ.get("GP_SEED", "1"))


class Requests(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 1}
    settles = False  # who knows what was asked of it

    def setUp(self):
        super().setUp()
        self.line = None
        self.document = json.loads(self.ask_raw("GET", "/openapi.json")[2])
        self.contract = Contract(self.document)
        self.drawer = Drawer(self.document, random.Random(SEED))

    def ask_raw(self, method, target, body=None, headers=None):
        """Status, type and body; of a stream only its head."""
        line = self.line or UnixConnection(os.path.join(self.cluster.run_directory, "http.sock"), timeout=60)
        self.line = None
        line.request(method, target, None if body is None else body.encode("utf-8", "surrogatepass"), headers or {})
        answer = line.getresponse()
        kind = answer.getheader("Content-Type") or ""
        if kind.startswith("text/event-stream"):
            line.close()
            return answer.status, kind, b""
        told = answer.read()
        if answer.will_close:
            line.close()
        else:
            self.line = line
        return answer.status, kind, told

    def check(self, drawn):
        try:
            status, kind, told = self.ask_raw(drawn.method, drawn.target, drawn.body, drawn.headers)
        except (http.client.HTTPException, OSError) as error:
            raise AssertionError(f"{drawn}: {error!r}") from error
        self.assertTrue(status < 500 or status == 503, f"{drawn}\n{status} {told[:1000]!r}")
        if kind.startswith(("application/json", "application/problem+json")):
            try:
                self.contract.judge(drawn.method, drawn.target, status, json.loads(told))
            except Exception as error:
                raise AssertionError(f"{drawn}\n{status} {told[:1000]!r}\n{str(error)[:2000]}") from error
        return status

    def test_every_operation(self):
        counts = {}
        for path, methods in self.document["paths"].items():
            for method, operation in methods.items():
                for kind, draw in (("valid", self.drawer.valid), ("invalid", self.drawer.invalid)):
                    for _ in range(REQUESTS):
                        status = self.check(draw(path, method.upper(), operation))
                        counts[kind, status] = counts.get((kind, status), 0) + 1
        print(f"{sum(counts.values())} requests of {len(self.contract.judged)} operations: {sorted(counts.items())}", flush=True)
        self.assertGreater(sum(count for (kind, status), count in counts.items() if kind == "valid" and status < 300), 0)
        self.assertEqual(self.ask_raw("GET", "/readyz")[0], 200)
        self.assertEqual(self.cluster.controller.runs(), True)


if __name__ == "__main__":
    main()
