#!/usr/bin/python3
"""Jobs as traces, as a collector hears of them."""

import http.server
import json
import re
import threading

from live_platform import ClusterTest, eventually, main

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Collector:
    """Takes what it is sent, after it has been busy `busy` times."""

    def __init__(self, busy):
        self.bodies = []
        self.asked = 0
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.asked += 1
                is_busy = collector.asked <= busy
                if not is_busy:
                    collector.bodies.append((self.path, self.headers["content-type"], json.loads(body)))
                self.send_response(503 if is_busy else 200)
                self.send_header("content-type", "application/json")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def spans(self):
        return [span for _, _, body in list(self.bodies) for resource in body["resourceSpans"] for scope in resource["scopeSpans"] for span in scope["spans"]]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Traces(ClusterTest):
    def setUp(self):
        self.collector = Collector(busy=1)
        self.addCleanup(self.collector.close)
        self.options = {"serve_flags": ("--traces", f"http://127.0.0.1:{self.collector.server.server_port}")}
        super().setUp()

    def test_a_job_is_a_part_of_the_trace_that_it_was_started_in(self):
        parent = f"00-{TRACE}-{SPAN}-01"
        job = self.cli.start("--gpus", "1", "--env", f"TRACEPARENT={parent}", "--env", "PASSWORD=hidden-word", command=["sh", "-c", "echo $TRACEPARENT; exit 3"])
        self.assertEqual(self.cli.wait(job), 3)
        self.assertEqual(self.cli("jobs", "logs", job).ok().out.strip(), parent)
        eventually(lambda: len(self.collector.spans()) >= 3, lambda: f"told: {self.collector.bodies}\n{self.cluster.controller.text()}", timeout=30)
        path, content_type, body = self.collector.bodies[0]
        self.assertEqual((path, content_type), ("/v1/traces", "application/json"))
        self.assertNotIn("hidden-word", json.dumps(body))
        spans = {span["name"]: span for span in self.collector.spans()}
        self.assertEqual(set(spans), {"job", "wait", "attempt"})
        for span in spans.values():
            self.assertEqual(span["traceId"], TRACE)
            self.assertRegex(span["spanId"], "^[0-9a-f]{16}$")
            self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
        self.assertEqual(spans["job"]["parentSpanId"], SPAN)
        self.assertEqual({spans["wait"]["parentSpanId"], spans["attempt"]["parentSpanId"]}, {spans["job"]["spanId"]})
        told = {one["key"]: one["value"] for one in spans["job"]["attributes"]}
        self.assertEqual(told["gpu_platform.job"], {"stringValue": job})
        self.assertEqual(told["process.exit.code"], {"intValue": "3"})
        self.assertEqual((spans["job"]["status"]["code"], spans["attempt"]["status"]["code"]), (2, 2))
        self.assertEqual([event["name"] for event in spans["attempt"]["events"]], ["started"])
        eventually(lambda: re.search(r"traces: 127.0.0.1 answers 503.*retried(.|\n)*is reached again", self.cluster.controller.text()), self.cluster.controller.text)


if __name__ == "__main__":
    main()
