#!/usr/bin/python3
"""A job reports 1,000 values of a metric a second for a minute: none is lost, and the agent has little to do with it."""

import time

from live_platform import ClusterTest, eventually, main

SECONDS = 60
RATE = 1_000  # values a second
SHARE_MAX = 0.02  # of a core

FLOOD = f"""
import os, time
pipe = os.open(os.environ["GP_REPORT"], os.O_WRONLY)
began, sent = time.monotonic(), 0
while sent < {SECONDS * RATE}:
    due = min({SECONDS * RATE}, int((time.monotonic() - began) * {RATE}))
    while sent < due:
        sent += 1
        os.write(pipe, b"metric step=%d loss=%d.5\\n" % (sent, sent))
    time.sleep(0.005)
"""


class Flood(ClusterTest):
    options = {"nodes": 1}

    def agent_seconds(self):
        agent = self.cluster.agents[0]._process.pid
        with open(f"/proc/{agent}/stat", encoding="ascii") as file:
            user, system = file.read().rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / 100

    def series(self, job):
        return self.cli("jobs", "metrics", job, "-o", "json").json["series"][0]

    def test_no_value_is_lost(self):
        job = self.cli.submit({"name": "flood", "run": ["/usr/bin/python3", "-c", FLOOD], "resources": {"gpus": 1}})[0]
        eventually(lambda: self.cli.job(job)["state"] == "RUNNING", "it runs")
        before, began = self.agent_seconds(), time.monotonic()
        time.sleep(SECONDS - 10)
        share = (self.agent_seconds() - before) / (time.monotonic() - began)
        self.cli("jobs", "wait", job, timeout=SECONDS + 60).ok()
        eventually(lambda: self.series(job)["last"]["last"] == SECONDS * RATE + 0.5, lambda: f"the last value arrives: {self.series(job)['last']}")
        points = self.series(job)["points"]
        self.assertEqual(sum(int(point["count"]) for point in points), SECONDS * RATE)
        self.assertEqual((points[0]["min"], points[-1]["max"]), (1.5, SECONDS * RATE + 0.5))
        print(f"{SECONDS * RATE} values in {len(points)} points; the agent had {100 * share:.2f} % of a core")
        self.assertLess(share, SHARE_MAX)


if __name__ == "__main__":
    main()
