#!/usr/bin/env python3
"""A monitor for a terminal: nodes and their GPUs, queues, jobs and incidents, by the Python client.

`gpu-platform watch` does more; this is a start for a monitor of your own.  It redraws the whole screen every --refresh
seconds, and fits a terminal of 80 columns.  If the controller does not answer, it says so and tries again.  The controller
is that of this machine, or GPU_PLATFORM_HTTP with GPU_PLATFORM_TOKEN.

Usage: monitoring_dashboard.py [--refresh SECONDS] [--once] [--gpus] [--jobs N] [--width COLUMNS]
Exit code with --once: 0, or 1 without an answer.  Ctrl-C ends it.
"""
import argparse
import os
import shutil
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../clients/python"))  # or: pip install
import gpu_platform  # noqa: E402

CLEAR = "\x1b[H\x1b[2J\x1b[3J"
WIDTH_MIN = 60
ANSWER_S = 5.0  # after this time without a reply the controller counts as lost
ACTIVE = ("RUNNING", "PREEMPTED", "QUEUED", "PENDING")  # in the order of the list
MARKS = {"AVAILABLE": ".", "ALLOCATED": "#", "IN_USE": "#", "DEGRADED": "!", "RESETTING": "!", "OFFLINE": "x"}


def options_of(arguments):
    parser = argparse.ArgumentParser(description="Shows GPUs, queues, jobs and incidents in a terminal")
    parser.add_argument("--refresh", type=float, default=5.0, metavar="SECONDS", help="default: 5")
    parser.add_argument("--once", action="store_true", help="print one screen and end, for scripts")
    parser.add_argument("--gpus", action="store_true", help="a line for each GPU")
    parser.add_argument("--jobs", type=int, default=12, metavar="N", help="at most this number of jobs (default: 12)")
    parser.add_argument("--width", type=int, default=0, metavar="COLUMNS", help="default: that of the terminal, else 80")
    options = parser.parse_args(arguments)
    if options.refresh <= 0:
        parser.error("--refresh: must be above 0")
    return options


def printable(value):
    """Names come from users, and must not move the cursor."""
    return "".join(one if one.isprintable() else "?" for one in str(value))


def span(seconds):
    """90 -> 1m30s; two units are enough."""
    seconds = int(seconds)
    for size, unit, small, below in ((86400, "d", 3600, "h"), (3600, "h", 60, "m"), (60, "m", 1, "s")):
        if seconds >= size:
            return f"{seconds // size}{unit}{seconds % size // small:02}{below}"
    return f"{seconds}s"


def table(head, rows, right=()):
    """Lines with columns as wide as their longest text; columns in `right` are aligned right, the last one is not filled."""
    rows = [[printable(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]

    def line(row):
        cells = [cell.rjust(width) if name in right else cell.ljust(width) for cell, width, name in zip(row, widths, head)]
        return "  ".join(cells).rstrip()

    return [line(row) for row in rows]


def short(text, length):
    return text if len(text) <= length else text[:length - 1] + "…"


def worst(values):
    """The largest of the values that were measured; – without any."""
    known = [value for value in values if value is not None]
    return max(known) if known else "–"


def mean(values):
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known)) if known else "–"


def reading(gpu, name):
    return (gpu.get("readings") or {}).get(name)


def node_lines(nodes):
    rows = []
    for node in nodes:
        gpus = node["gpus"]
        state = node["state"] + (" (draining)" if node["draining"] else "")
        power = [reading(gpu, "power_watts") for gpu in gpus if reading(gpu, "power_watts") is not None]
        rows.append([short(node["name"], 24), state, "".join(MARKS.get(gpu["state"], "?") for gpu in gpus), mean(reading(gpu, "utilization_percent") for gpu in gpus),
                     worst(reading(gpu, "temperature_celsius") for gpu in gpus), round(sum(power)) if power else "–", node["pool"]])
    return [*table(["NODE", "STATE", "GPUS", "BUSY%", "MAX°C", "WATTS", "POOL"], rows, right=("BUSY%", "MAX°C", "WATTS")),
            "GPUs: # held by a job  . free  ! degraded or resetting  x offline"]


def gpu_lines(nodes):
    rows = []
    for node in nodes:
        for gpu in node["gpus"]:
            used, values = reading(gpu, "memory_used_bytes"), [reading(gpu, name) for name in ("utilization_percent", "temperature_celsius")]
            memory = "–" if used is None else f"{used >> 30}/{gpu['memory_bytes'] >> 30}"
            holders = ", ".join(holder["job_id"] for holder in gpu["holders"]) or gpu["reason"]
            rows.append([f"{short(node['name'], 20)}[{gpu['index']}]", gpu["state"], *("–" if value is None else value for value in values), memory, holders])
    return table(["GPU", "STATE", "BUSY%", "°C", "GIB", "JOBS"], rows, right=("BUSY%", "°C", "GIB"))


def queue_lines(queues):
    rows = []
    for queue in queues:
        limit = (queue.get("limit") or {}).get("gpus")
        use = queue.get("use") or {"gpus": 0, "jobs": 0, "gpu_hours": 0}
        rows.append([short(queue["name"], 24), queue["weight"], f"{use['gpus']:g}", "–" if limit is None else f"{limit:g}", use["jobs"],
                     queue["jobs_queued"], f"{use['gpu_hours']:.1f}"])
    head = ["QUEUE", "WEIGHT", "GPUS", "LIMIT", "RUNNING", "WAITING", "GPU-HOURS"]
    return table(head, rows, right=head[1:])


def gpus_of(spec):
    count = (spec.get("gpus") or {}).get("count")
    return (spec.get("nodes") or 1) * (1 if count is None else count)


def job_lines(jobs, most):
    """The active jobs, those that run first; `most` of them."""
    order = sorted(jobs, key=lambda job: (ACTIVE.index(job["state"]), -(job["spec"].get("priority") or 500)))
    rows = []
    for job in order[:most]:
        progress, elements = job.get("progress") or {}, job.get("elements")
        of = f"{100 * progress['step'] // progress['steps']}%" if progress.get("steps") else "–"
        if elements:
            of = f"{elements['completed']}/{elements['count']}"
        runs = job["state"] == "RUNNING"
        note = " ".join(job["places"]) if runs else job["reason_code"] or job["reason"]  # the code is short: docs/reference/pending_reasons.md
        rows.append([job["id"], short(job["spec"]["name"], 14), short(job["user"], 8), job["state"], gpus_of(job["spec"]), of,
                     span(job["run_seconds"] if runs else job["wait_seconds"]), note])
    lines = table(["JOB", "NAME", "USER", "STATE", "GPUS", "DONE", "TIME", "WHERE OR WHY"], rows, right=("GPUS", "DONE", "TIME"))
    if not rows:
        return ["no jobs run or wait"]
    return lines + ([f"and {len(order) - most} more (--jobs)"] if len(order) > most else [])


def incident_lines(incidents):
    if not incidents:
        return ["no incidents are open"]
    rows = []
    for one in incidents:
        place = one["node"] + (f"[{one['gpu']}]" if one.get("gpu") is not None else "")
        rows.append([one["id"], one["state"], short(place, 20), one["cause"], "operator action required" if one["needs_person"] else one["remedy"]])
    return table(["INCIDENT", "STATE", "WHERE", "CAUSE", "NEXT"], rows)


def screen(client, options):
    """The lines of one screen.  Raises PlatformError."""
    cluster = client.cluster(readings=True)
    incidents = client.operations.list_incidents()["incidents"]
    jobs = [job.fields for job in client.jobs()]
    gpus = [gpu for node in cluster["nodes"] for gpu in node["gpus"]]
    held = sum(1 for gpu in gpus if gpu["holders"])
    return [
        f"{time.strftime('%H:%M:%S')}  nodes: {len(cluster['nodes'])}  GPUs: {len(gpus)}, {held} held  "
        f"jobs: {cluster['jobs_running']} run, {cluster['jobs_queued']} wait",
        "", *(gpu_lines(cluster["nodes"]) if options.gpus else node_lines(cluster["nodes"])),
        "", *queue_lines(client.queues()),
        "", *job_lines(jobs, options.jobs),
        "", *incident_lines(incidents)]


def width_of(options):
    return max(options.width or shutil.get_terminal_size((80, 24)).columns, WIDTH_MIN)


def draw(lines, width):
    text = "\n".join(short(line, width) for line in lines)
    print((CLEAR if sys.stdout.isatty() else "") + text + ("\n" if sys.stdout.isatty() else "\n\n"), end="", flush=True)


def watch(client, options):
    last, lost_at = [], None
    while True:
        try:
            last, lost_at = screen(client, options), None
            draw(last, width_of(options))
        except gpu_platform.PlatformError as error:
            lost_at = lost_at or time.strftime("%H:%M:%S")
            draw([f"no answer since {lost_at}, trying again every {options.refresh:g} s: {printable(error)}",
                  *(["below: what was seen last", "", *last] if last else [])], width_of(options))
        time.sleep(options.refresh)


def main():
    options = options_of(sys.argv[1:])
    try:
        client = gpu_platform.Client(timeout=ANSWER_S, patience=0.0)
        if options.once:
            draw(screen(client, options), width_of(options))
        else:
            watch(client, options)
    except gpu_platform.PlatformError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
    except BrokenPipeError:  # of `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
