#!/usr/bin/python3
"""`topology`, `capture` and `doctor`, against the machine files that are simulated."""

import itertools
import json
import os
import pathlib
import re
import tempfile
import unittest
from unittest import mock

import live_platform.case
from live_platform import Cli, ClusterTest, eventually, main
from real_nvml_clients.machine import Machine, compare_status

MACHINES = pathlib.Path(__file__).parents[3] / "data/machines"


def driver_library():
    """The simulated driver, beside the program."""
    program = pathlib.Path(live_platform.case.binary)
    return program.parents[1] / "lib/gpu-platform/libnvidia-ml.so.1"


def machine_in_driver(name):
    """The simulated driver plays that machine where it is loaded like a real one."""
    return mock.patch.dict(os.environ, GPU_PLATFORM_FAKE_NVML_MACHINE=str(MACHINES / name))


class Topology:
    """The tests of `topology`, for the machine of a class below."""

    links = None  # None: what the file says of all pairs; otherwise pair -> NVLinks

    def setUp(self):
        super().setUp()
        # What a GPU can do comes with the readings of its agent.
        eventually(lambda: all(gpu.get("readings", {}).get("uuid") for _, gpu in self.cli.gpus()), "all were read")

    @property
    def machine(self):
        return Machine(pathlib.Path(self.options["machine"]))

    def links_of(self, pair):
        return self.machine.links if self.links is None else self.links.get(pair, 0)

    def way(self, a, b):
        """How two GPUs reach each other, by the file."""
        if a == b:
            return "X"
        count = self.links_of((min(a, b), max(a, b)))
        if count:
            return f"NV{count}"
        return "NODE" if self.machine.numa[a] == self.machine.numa[b] else "SYS"

    def ways(self):
        every = range(self.machine.count())
        return [[self.way(a, b) for b in every] for a in every]

    def test_matrix_agrees_with_the_file(self):
        answer = self.cli("topology").ok()
        rows = [line.split() for line in answer.lines if re.match(r"GPU\d+ ", line)]
        count = self.machine.count()
        self.assertEqual([row[0] for row in rows], [f"GPU{index}" for index in range(count)])
        self.assertEqual([row[1:count + 1] for row in rows], self.ways())
        self.assertEqual([int(row[count + 2]) for row in rows], self.machine.numa)
        for word in {re.sub(r"NV\d+", "NV4", way) for row in self.ways() for way in row}:
            self.assertIn(f"{word}:", answer.err, "the legend explains it")

    def test_what_gpus_can_do_agrees_with_the_file(self):
        count, machine = self.machine.count(), self.machine
        rows = [line.split() for line in self.cli("topology").ok().lines if re.search(r"─GPU\d+ ", line)]
        self.assertEqual([row[-3] for row in rows], [machine.compute_capability] * count)
        profiles = r"(1g\.\d+gb .*)?7g\.\d+gb.*" if machine.has_mig else "[–-]"
        capability = re.escape(machine.compute_capability)
        header, *rows = self.cli("gpus", "list", "-o", "wide").ok().lines
        self.assertRegex(header, r"UUID +CC +PCI +MODE +MIG PROFILES +NOTE$")
        self.assertNotIn("MIG PROFILES", self.cli("gpus", "list").ok().out)
        self.assertEqual(len(rows), count)
        for row, uuid, bus_id in zip(rows, machine.uuids, machine.bus_ids):
            self.assertRegex(row, rf"{uuid} +{capability} +{re.escape(bus_id)} +\w+ +{profiles} *$")
        rows = [line for line in self.cli("status", "--all", "-o", "wide").ok().lines if re.search(r"─\d+ GPU-", line)]
        self.assertEqual(len(rows), count)
        for row in rows:
            self.assertRegex(row, rf" {capability} +[0-9A-F:.]+ +\w+ +{profiles} *$")
        node, = self.cli.json("topology")["nodes"]
        for gpu in node["gpus"]:
            self.assertEqual(gpu["compute_capability"], machine.compute_capability)
            self.assertEqual(bool(gpu["mig_profiles"]), machine.has_mig)

    def test_tree_agrees_with_the_file(self):
        numa, found = None, []
        for line in self.cli("topology").ok().lines:
            head = re.search(r"─numa (\d+) ", line)
            numa = int(head.group(1)) if head else numa
            gpu = re.search(r"─GPU(\d+) .* (\S+) +(GPU-\S+)", line)
            if gpu:
                found.append((int(gpu.group(1)), numa, gpu.group(2), gpu.group(3)))
        expected = zip(range(self.machine.count()), self.machine.numa, self.machine.bus_ids,
                       self.machine.uuids)
        self.assertEqual(sorted(found), list(expected))

    def test_document_agrees_with_the_file(self):
        node, = self.cli.json("topology")["nodes"]
        self.assertEqual([gpu["to_gpus"] for gpu in node["gpus"]], self.ways())
        self.assertEqual([gpu["uuid"] for gpu in node["gpus"]], self.machine.uuids)
        self.assertEqual([gpu["numa_node"] for gpu in node["gpus"]], self.machine.numa)
        packages = {numa["package"] for numa in node["numa_nodes"]}
        self.assertEqual(len(packages), self.machine.packages)


class TopologyOfSwitches(Topology, ClusterTest):
    options = {"machine": str(MACHINES / "dgx-h100.yaml")}

    def test_one_node_of_several_names(self):
        name, = self.cluster.node_names()
        self.assertEqual(self.cli("topology", "--node", name).ok().out,
                         self.cli("topology").ok().out)
        answer = self.cli("topology", "--node", name[:-1])
        self.assertEqual((answer.code, answer.out), (3, ""))
        self.assertIn(f"did you mean {name}?", answer.err)


class TopologyOfManyNumaNodes(Topology, ClusterTest):
    options = {"machine": str(MACHINES / "dgx-a100.yaml")}


class TopologyWithoutLinks(Topology, ClusterTest):
    options = {"machine": str(MACHINES / "l40s-4.yaml")}


class TopologyOfOneGpu(Topology, ClusterTest):
    options = {"machine": str(MACHINES / "t4-laptop.yaml")}


class TopologyOfPairs(Topology, ClusterTest):
    """Bridges between some pairs, one of them over the border of the NUMA nodes."""

    links = {(0, 1): 4, (1, 2): 2}

    def setUp(self):
        text = (MACHINES / "l40s-4.yaml").read_text()
        speed = "\n  nvlink: {version: 4, mb_per_second: 25000}\n"
        text = re.sub(r"\n(?=  pcie:)", speed, text) + "nvlinks:\n  pairs:\n" + "".join(
            f"    - {{gpus: [{a}, {b}], links: {count}}}\n"
            for (a, b), count in self.links.items())
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        path = pathlib.Path(directory.name, "bridges.yaml")
        path.write_text(text)
        self.options = {"machine": str(path)}
        super().setUp()


class Capture(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.cli = Cli(live_platform.case.binary, str(self.directory / "nobody"))

    def test_captured_machine_captured_again_is_the_same(self):
        for path in sorted(MACHINES.glob("*.yaml")):
            with self.subTest(path.stem):
                first = self.directory / path.name
                answer = self.cli("capture", "--simulate", path, first).ok()
                self.assertEqual(answer.out, "")
                self.assertIn(f"--simulate {first}", answer.err)
                again = self.cli("capture", "--simulate", first).ok()
                self.assertEqual(again.out, first.read_text())

    def test_machine_with_a_driver_of_its_own_is_captured(self):
        machine = Machine(MACHINES / "l40s-4.yaml")
        with machine_in_driver("l40s-4.yaml"):
            text = self.cli("capture", "--nvml", driver_library()).ok().out
        self.assertEqual(re.findall(r'uuid: "(.+)"', text), machine.uuids)
        self.assertIn(f'hostname: "{os.uname().nodename}"', text, "the host is this one")

    def test_machine_without_a_driver_captures_nothing(self):
        answer = self.cli("capture", "--nvml", "/no/such/library", self.directory / "file")
        self.assertEqual((answer.code, answer.out), (8, ""), answer)
        self.assertIn("/no/such/library", answer.err)
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_unknown_machine_is_answered_with_the_known_ones(self):
        answer = self.cli("capture", "--simulate", "dgx", self.directory / "file")
        self.assertEqual((answer.code, answer.out), (3, ""), answer)
        for path in MACHINES.glob("*.yaml"):
            self.assertIn(path.stem, answer.err)
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_file_that_cannot_be_written_is_an_error(self):
        answer = self.cli("capture", "--simulate", "t4-laptop", self.directory / "no/file")
        self.assertNotEqual(answer.code, 0)
        self.assertIn(str(self.directory / "no/file"), answer.err)


class SimulatedAgain:
    """A cluster of the captured machine has the GPUs that the original file names."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        path = f"{directory.name}/captured.yaml"
        cli = Cli(live_platform.case.binary, directory.name)
        cli("capture", "--simulate", self.file, path).ok()
        self.options = {"machine": path}
        super().setUp()

    def test_captured_machine_has_the_same_gpus(self):
        self.assertEqual(compare_status(Machine(self.file), self.cli.cluster()), [])
        self.assertEqual(self.cluster.node_names(), [f"{self.file.stem}-0"])


for _file in sorted(MACHINES.glob("*.yaml")):
    _name = "Captured_" + re.sub(r"\W", "_", _file.stem)
    globals()[_name] = type(_name, (SimulatedAgain, ClusterTest), {"file": _file})


class DoctorsReport:
    """One answer in both forms, which must say the same."""

    def __init__(self, test, cli, *flags):
        document, words = self.ask(cli, *flags)
        self.checks = json.loads(document.out)["checks"]
        self.code = words.code
        results = [check["result"] for check in self.checks]
        test.assertEqual(document.code, self.code)
        test.assertEqual(self.code, 9 if "FAIL" in results else 0, words)
        test.assertEqual([line.split()[:2] for line in words.lines if re.match(r"\w", line)][:-1],
                         [[check["result"], check["name"]] for check in self.checks])
        test.assertEqual(words.lines[-1], f"{len(results)} checks: {results.count('FAIL')} FAIL, "
                                          f"{results.count('WARN')} WARN")
        for check in self.checks:
            test.assertEqual(check["fix"] != "", check["result"] != "ok", check)
            test.assertIn(check["fix"], words.out)

    @staticmethod
    def ask(cli, *flags):
        """Both forms of one state of the machine, which tests beside this one change."""
        def ask_all():
            before, words, after, again = (cli("doctor", *flags, *form) for form in (("-o", "json"), (), ("-o", "json"), ()))
            is_same = DoctorsReport.fixes(before) == DoctorsReport.fixes(after) and DoctorsReport.fixes_in(words) == DoctorsReport.fixes_in(again)
            return (before, words) if is_same else None
        return eventually(ask_all, "the machine stayed the same for four questions")

    @staticmethod
    def fixes(document):
        return [(check["name"], check["result"], check["fix"]) for check in json.loads(document.out)["checks"]]

    @staticmethod
    def fixes_in(words):
        return re.findall(r"^ +fix: .*$", words.out, re.MULTILINE)

    def of(self, name):
        """(result, what, fix) of the one check of that name."""
        found, = [check for check in self.checks if check["name"] == name]
        return found["result"], found["what"], found["fix"]


class DoctorAlone(unittest.TestCase):
    """No controller."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.cli = Cli(live_platform.case.binary, self.directory)

    def ask(self, *flags):
        return DoctorsReport(self, self.cli, *flags)

    def test_features_are_tried(self):
        report = self.ask()
        self.assertEqual(report.of("images"), ("ok", "jobs may have images", ""))
        for name in ("data", "launchers", "layers", "network", "registries", "staging"):
            self.assertEqual(report.of(name)[0], "ok", f"{name}, which has one line")

    def test_controller_that_is_missing(self):
        report = self.ask()
        result, what, fix = report.of("controller")
        self.assertEqual((report.code, result), (9, "FAIL"))
        self.assertIn(self.directory, what)
        self.assertIn("gpu-platform serve", fix)
        names = [check["name"] for check in report.checks]
        self.assertNotIn("agents", names, "nobody can tell")

    def test_driver_that_is_missing(self):
        result, what, fix = self.ask("--nvml", "/no/such/library").of("driver")
        self.assertEqual(result, "WARN")
        self.assertIn("/no/such/library", what)
        self.assertIn("--simulate", fix)

    def test_driver_that_is_there(self):
        with machine_in_driver("l40s-4.yaml"):
            result, what, _ = self.ask("--nvml", driver_library()).of("driver")
        self.assertEqual((result, what), ("ok", "4 GPU(s), driver 595.91.07, CUDA up to 13.2"))

    def test_user_for_jobs_that_is_missing(self):
        result, what, fix = self.ask("--service-user", "nobody-at-all").of("users")
        self.assertEqual(result, "WARN")
        self.assertIn("nobody-at-all", what)
        self.assertIn("useradd", fix)
        words = fix.removesuffix(" nobody-at-all")
        self.assertIn(f"{words} gpu-job", (MACHINES.parents[1] / "docs/operations.md").read_text(), "as the documents say")
        self.assertEqual(self.ask("--service-user", "daemon").of("users")[0], "ok")

    def test_state_directory_is_named_and_not_made(self):
        state = os.path.join(self.directory, "state")
        _, what, _ = self.ask("--state", state).of("state")
        self.assertIn(f"{state} (not made yet)", what)
        self.assertFalse(os.path.exists(state))
        self.assertNotIn("not made yet", self.ask("--state", self.directory).of("state")[1])


class DoctorOfACluster(ClusterTest):
    def ask(self):
        return DoctorsReport(self, self.cli)

    def test_all_is_well(self):
        report = self.ask()
        self.assertEqual(report.of("controller")[0], "ok")
        self.assertEqual(report.of("agents")[:2], ("ok", "1 node, all up"))
        self.assertEqual(report.of("gpus")[:2], ("ok", "8 GPU(s) are well"))
        self.assertEqual(report.of("breaker"), ("ok", "no repair is held back", ""))

    def test_gpu_out_of_service(self):
        self.cli("offline", "--gpu-id", "dgx-h100-0/3").ok()
        result, what, fix = self.ask().of("gpus")
        self.assertEqual((result, what), ("WARN", "1 of 8 are not well: dgx-h100-0/3 FAIL out-of-service"))
        self.assertIn("gpu-platform health --gpu-id", fix)


class DoctorOfALostNode(ClusterTest):
    options = {"serve_flags": ("--lease-time", "2s")}

    def test_agent_that_died(self):
        self.cluster.agents[0].kill()
        eventually(lambda: self.cluster.node_state("dgx-h100-0") != "UP", "the node is missed")
        report = DoctorsReport(self, self.cli)
        result, what, fix = report.of("agents")
        self.assertEqual((report.code, result, what),
                         (9, "FAIL", "1 of 1 nodes lost: dgx-h100-0"))
        self.assertIn("declare-lost", fix)
        self.cluster.agents[0].start()
        self.cluster.await_gpus()
        self.assertEqual(DoctorsReport(self, self.cli).of("agents")[0], "ok")


class DoctorWithoutAgents(ClusterTest):
    options = {"nodes": 0}

    def test_no_node_has_joined(self):
        report = DoctorsReport(self, self.cli)
        self.assertEqual((report.code, report.of("agents")[:2]),
                         (9, ("FAIL", "no node has joined")))
        self.assertIn("gpu-platform agent", report.of("agents")[2])


if __name__ == "__main__":
    main()
