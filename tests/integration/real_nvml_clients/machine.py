"""What a machine file says about its GPUs, read with a few patterns: the files are ours."""

import json
import re


class Machine:
    def __init__(self, path):
        text = path.read_text()
        self.path = path
        self.name = path.stem
        self.uuids = re.findall(r"uuid: (GPU-[0-9a-f-]+)", text)
        self.bus_ids = re.findall(r'bus_id: "([0-9A-F:.]+)"', text)
        self.numa = [int(node) for node in re.findall(r"bus_id.*?numa: (\d+)", text)]
        self.model = re.search(r"^  name: (.+)$", text, re.M).group(1)
        self.memory_mib = int(re.search(r"memory_mib: {total: (\d+)", text).group(1))
        self.reserved_mib = int(re.search(r"reserved: (\d+)", text).group(1))
        self.packages = int(re.search(r"^packages: (\d+)", text, re.M).group(1))
        cpus = "-".join(re.findall(r'cpus: "([0-9,-]+)"', text))
        self.cpus = 1 + max(int(cpu) for cpu in re.findall(r"\d+", cpus))
        links = re.search(r"^  all: (\d+)$", text, re.M)
        self.links = int(links.group(1)) if links else 0
        self.has_mig = re.search(r"^  mig: ", text, re.M) is not None

    def count(self):
        return len(self.uuids)


def differ(what, found, expected):
    """A list of one problem, or of none."""
    return [] if found == expected else [f"{what}: {found!r}, the file says {expected!r}"]


def _objects_with_uuid(value):
    if isinstance(value, dict):
        if str(value.get("uuid", "")).startswith("GPU-"):
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _objects_with_uuid(item)


def compare_status(machine, path):
    """The one place that compares `gpu-platform status -o json` with the machine file."""
    with open(path, encoding="utf-8") as file:
        gpus = {gpu["uuid"]: gpu for gpu in _objects_with_uuid(json.load(file))}
    problems = differ("uuids", sorted(gpus), sorted(machine.uuids))
    for gpu in gpus.values():
        if "memory_total_mib" in gpu:
            problems += differ("memory", gpu["memory_total_mib"], machine.memory_mib)
    return problems
