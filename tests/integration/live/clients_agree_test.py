#!/usr/bin/python3
"""The platform, NVIDIA's own nvidia-smi and the machine file say the same of every machine.

`status -o json` of the platform that simulates a machine is compared with the machine file, and
with what an unmodified nvidia-smi prints through the same driver library.  Where nvidia-smi cannot
be fetched, the first comparison alone is made, and the program ends as skipped (CI: as failed).
"""

import os
import pathlib
import re
import subprocess
import sys

import live_platform.case
from live_platform import ClusterTest, main
from live_platform.case import SKIPPED

TESTS = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(TESTS / "real_nvml_clients"))  # its programs are no package

import clients
import packages
from machine import Machine, compare_status

MACHINES = TESTS.parents[1] / "data/machines"
CACHE = pathlib.Path.home() / ".cache/gpu-platform-nvml-clients"
QUERY = ("--query-gpu=uuid,memory.total,name", "--format=csv,noheader,nounits")
missing = set()  # why nvidia-smi could not be asked


class Agree:
    """The tests for the machine of a class below."""

    def smi(self):
        """(UUID, MiB, name) of each GPU, as nvidia-smi says."""
        library = pathlib.Path(live_platform.case.binary).parents[1] / "lib/gpu-platform"
        place = clients.Place(packages.unpack(CACHE), str(library), Machine(self.file))
        rows = [line.split(", ") for line in place.smi(*QUERY).splitlines()]
        return [(uuid, int(memory), name) for uuid, memory, name in rows]

    def test_status_agrees_with_the_machine_file(self):
        self.assertEqual(compare_status(Machine(self.file), self.cli.json("status")), [])

    def test_status_agrees_with_nvidia_smi(self):
        try:
            found = [] if missing else self.smi()  # what cannot be had is asked for once
        except (packages.Missing, subprocess.TimeoutExpired) as reason:
            missing.add(str(reason))
        if missing:
            self.skipTest(f"nvidia-smi cannot be had: {missing}")
        machine = Machine(self.file)
        self.assertEqual(found, [(uuid, machine.memory_mib, machine.model)
                                 for uuid in machine.uuids])
        # nvidia-smi shows the memory that the driver reserves; jobs do not get it.
        usable = [(uuid, memory - machine.reserved_mib << 20, name)
                  for uuid, memory, name in found]
        self.assertEqual([(gpu["uuid"], gpu["memory_bytes"], gpu["model"])
                          for _, gpu in self.cli.gpus()], usable)


for _file in sorted(MACHINES.glob("*.yaml")):
    _name = "Agree_" + re.sub(r"\W", "_", _file.stem)
    globals()[_name] = type(_name, (Agree, ClusterTest),
                            {"file": _file, "options": {"machine": str(_file)}})


if __name__ == "__main__":
    try:
        main()
    except SystemExit as end:
        if missing:
            sys.stderr.write(f"SKIPPED: nvidia-smi was not asked: {'; '.join(sorted(missing))}\n")
            sys.exit(end.code or (1 if os.environ.get("CI") == "true" else SKIPPED))
        raise
