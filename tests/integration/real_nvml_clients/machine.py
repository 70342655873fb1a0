"""What a machine file says about its GPUs, read with a few patterns: the files are ours."""

import itertools
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
        self.compute_capability = re.search(r'compute_capability: "([\d.]+)"', text).group(1)
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


def _link_counts(nodes):
    return {(link["gpu_a"], link["gpu_b"]): link["nvlinks"]
            for node in nodes for link in node["links"]}


def compare_status(machine, status):
    """The one place that compares `gpu-platform status -o json` of one node with the file.

    The platform speaks of memory that jobs may use: the driver's reserve is no part of it.
    """
    gpus = [gpu for node in status["nodes"] for gpu in node["gpus"]]
    usable = (machine.memory_mib - machine.reserved_mib) << 20
    pairs = itertools.combinations(range(machine.count()), 2) if machine.links else ()
    return (differ("uuids", [gpu["uuid"] for gpu in gpus], machine.uuids)
            + differ("bus ids", [gpu["pci_bus_id"] for gpu in gpus], machine.bus_ids)
            + differ("NUMA nodes", [gpu["numa_node"] for gpu in gpus], machine.numa)
            + differ("models", {gpu["model"] for gpu in gpus}, {machine.model})
            + differ("memory", {gpu["memory_bytes"] for gpu in gpus}, {usable})
            + differ("NVLinks", _link_counts(status["nodes"]),
                     dict.fromkeys(pairs, machine.links)))
