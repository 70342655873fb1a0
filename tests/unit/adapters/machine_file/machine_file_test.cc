#include "adapters/outbound/machine_file/machine_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using testing::HasSubstr;

// Lines of a small machine; tests replace single ones.
std::string SmallMachine(const std::string& from = "", const std::string& to = "") {
  std::string yaml = R"(machine: gpu-platform/v1
hostname: small
packages: 2
driver: {version: "550.54.15", cuda: "12.4"}
numa:
  - {id: 8, package: 1, cpus: "4-7", memory_mib: 2000}
  - {id: 0, package: 0, cpus: "0-3", memory_mib: 1000}
gpu_defaults:
  name: NVIDIA A100-SXM4-40GB
  compute_capability: "8.0"
  memory_mib: {total: 40960, reserved: 608}
  power_watts: {idle: 50, limit: 400}
  temperature_c: {slowdown: 92, shutdown: 95}
  mig: a100-40gb
gpus:
  - {uuid: GPU-a, bus_id: "0000:1B:00.0", numa: 0, root: "0000:1a:00.0", switch: "0000:1a:01.0"}
  - {uuid: GPU-b, bus_id: "00000000:0c:00.0", numa: 8, minor: 5, serial: "0042", mig: ""}
  - {uuid: GPU-c, bus_id: "1D:00.0", memory_mib: {reserved: 700}}
nvlinks:
  pairs:
    - {gpus: [1, 0], links: 4}
    - {gpus: [1, 2]}
)";
  if (!from.empty()) yaml.replace(yaml.find(from), from.size(), to);
  return yaml;
}

MachineFile Parse(const std::string& yaml) {
  const Result<MachineFile> machine = ParseMachineFile(yaml, "test.yaml");
  EXPECT_TRUE(machine.has_value()) << machine.error().message;
  return machine.value_or(MachineFile());
}

std::string ParseError(const std::string& from, const std::string& to) {
  const Result<MachineFile> machine = ParseMachineFile(SmallMachine(from, to), "test.yaml");
  EXPECT_FALSE(machine.has_value()) << "accepted: " << to;
  return machine.has_value() ? "" : machine.error().message;
}

TEST(MachineFile, ReadsTheBusesOfEachGpu) {
  const MachineFile silent = Parse(SmallMachine());
  ASSERT_EQ(silent.buses.size(), 3u);
  EXPECT_EQ(silent.buses[0].pcie_generation, 0);
  const MachineFile machine = Parse(SmallMachine(
      "  mig: a100-40gb\n",
      "  pcie: {generation: 4, width: 16}\n  nvlink: {version: 3, mb_per_second: 25781}\n"));
  EXPECT_EQ(machine.buses[2].pcie_generation, 4);
  EXPECT_EQ(machine.buses[2].pcie_width, 16);
  EXPECT_EQ(machine.buses[2].nvlink_version, 3);
  EXPECT_THAT(ParseError("  mig: a100-40gb\n", "  pcie: {generation: 4, lanes: 16}\n"),
              HasSubstr("lanes"));
}

TEST(MachineFile, ReadsTheHost) {
  const HostFacts host = Parse(SmallMachine()).host;
  EXPECT_EQ(host.hostname, "small");
  EXPECT_EQ(host.packages, 2);
  EXPECT_EQ(host.cpus.ToString(), "0-7");
  EXPECT_EQ(host.memory_mib, 3000);
  ASSERT_EQ(host.numa_nodes.size(), 2u);
  EXPECT_EQ(host.numa_nodes[0].id, 0);
  EXPECT_EQ(host.numa_nodes[1].id, 8);
  EXPECT_EQ(host.numa_nodes[1].package, 1);
  EXPECT_EQ(host.numa_nodes[1].cpus.ToString(), "4-7");
}

TEST(MachineFile, PlacesGpusByBusId) {
  const HostFacts host = Parse(SmallMachine()).host;
  ASSERT_EQ(host.gpus.size(), 3u);
  EXPECT_EQ(host.gpus[0].pci_bus_id, "0000:0c:00.0");
  EXPECT_EQ(host.gpus[0].numa_node, 8);
  EXPECT_EQ(host.gpus[1].pci_bus_id, "0000:1b:00.0");
  EXPECT_EQ(host.gpus[1].root_complex, "0000:1a:00.0");
  EXPECT_EQ(host.gpus[1].pcie_switch, "0000:1a:01.0");
  EXPECT_EQ(host.gpus[2].pci_bus_id, "0000:1d:00.0");
  EXPECT_EQ(host.gpus[2].numa_node, std::nullopt);
}

TEST(MachineFile, LaysEachGpuOverTheDefaults) {
  const DriverInventory inventory = Parse(SmallMachine()).inventory;
  EXPECT_EQ(inventory.driver_version, "550.54.15");
  EXPECT_EQ(inventory.cuda_version, "12.4");
  ASSERT_EQ(inventory.gpus.size(), 3u);
  const GpuIdentity& first = inventory.gpus[0];
  EXPECT_EQ(first.name, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(first.pci_bus_id, "00000000:1B:00.0");
  EXPECT_EQ(first.minor, 0);
  EXPECT_EQ(first.compute_capability_major, 8);
  EXPECT_EQ(first.power_limit_watts, 400);
  EXPECT_EQ(first.temperature_slowdown_c, 92);
  EXPECT_TRUE(first.mig_capable);
  const GpuIdentity& second = inventory.gpus[1];
  EXPECT_EQ(second.minor, 5);
  EXPECT_EQ(second.serial, "0042");
  EXPECT_FALSE(second.mig_capable);
  const GpuIdentity& third = inventory.gpus[2];
  EXPECT_EQ(third.memory_total_mib, 40960);
  EXPECT_EQ(third.memory_reserved_mib, 700);
}

TEST(MachineFile, JoinsPairsAndSwitches) {
  const DriverInventory pairs = Parse(SmallMachine()).inventory;
  ASSERT_EQ(pairs.links.size(), 2u);
  EXPECT_EQ(pairs.links[0].gpu_a, 0);
  EXPECT_EQ(pairs.links[0].gpu_b, 1);
  EXPECT_EQ(pairs.links[0].link_count, 4);
  EXPECT_EQ(pairs.links[1].link_count, 1);

  const std::string all =
      SmallMachine("  pairs:\n    - {gpus: [1, 0], links: 4}\n    - {gpus: [1, 2]}\n",
                   "  all: 18\n  switches: [\"0000:c5:00.0\"]\n");
  const DriverInventory switched = Parse(all).inventory;
  ASSERT_EQ(switched.links.size(), 3u);
  EXPECT_EQ(switched.links[2].gpu_a, 1);
  EXPECT_EQ(switched.links[2].gpu_b, 2);
  EXPECT_EQ(switched.links[2].link_count, 18);
  EXPECT_TRUE(switched.links[2].through_switch);
}

TEST(MachineFile, CountsDirectLinksInPlaceOfThoseThroughSwitches) {
  const DriverInventory inventory =
      Parse(SmallMachine("  pairs:", "  all: 6\n  switches: [\"61:00.0\"]\n  pairs:")).inventory;
  ASSERT_EQ(inventory.links.size(), 3u);
  EXPECT_EQ(inventory.links[0].link_count, 4);
  EXPECT_FALSE(inventory.links[0].through_switch);
  EXPECT_EQ(inventory.links[1].link_count, 6);
  EXPECT_TRUE(inventory.links[1].through_switch);
}

TEST(MachineFile, JoinsBoardsThroughTheirSwitches) {
  const std::string boards =
      SmallMachine("  pairs:\n    - {gpus: [1, 0], links: 4}\n    - {gpus: [1, 2]}\n",
                   "  all: 6\n  boards:\n    - {gpus: \"0\", switches: [\"61:00.0\"]}\n"
                   "    - {gpus: \"2\", switches: [\"62:00.0\"]}\n");
  const DriverInventory inventory = Parse(boards).inventory;
  ASSERT_EQ(inventory.links.size(), 1u);
  EXPECT_EQ(inventory.links[0].gpu_a, 0);
  EXPECT_EQ(inventory.links[0].gpu_b, 2);
  EXPECT_EQ(inventory.links[0].link_count, 6);
}

TEST(MachineFile, NamesTheNearestKey) {
  EXPECT_EQ(ParseError("hostname:", "hostnaem:"),
            "test.yaml:2:1: the machine has no key 'hostnaem'; did you mean 'hostname'?");
  EXPECT_EQ(ParseError("serial:", "seriall:"),
            "test.yaml:17:66: gpus[1] has no key 'seriall'; did you mean 'serial'?");
}

TEST(MachineFile, RefusesValuesThatCannotBe) {
  struct Case {
    const char* from;
    const char* to;
    const char* message;
  };
  const Case cases[] = {
      {"gpu-platform/v1", "gpu-platform/v2", "test.yaml:1:10: the machine.machine must be gpu"},
      {"packages: 2", "packages: two", "test.yaml:3:11: the machine.packages must be a whole"},
      {"packages: 2", "packages: -2", "out of range: -2"},
      {"id: 8", "id: 0", "numa[1].id is used twice: 0"},
      {"\"4-7\"", "\"3-7\"", "numa[1].cpus are partly another node's"},
      {"\"4-7\"", "\"7-4\"", "numa[0].cpus must be a list"},
      {"GPU-b", "GPU-a", "gpus[1].uuid is another GPU's too"},
      {"GPU-b", "b", "gpus[1].uuid must start with GPU-"},
      {"0000:1B:00.0", "0000:1B:00", "gpus[0].bus_id must be a PCI address"},
      {"numa: 8", "numa: 1", "gpus[1].numa is no node of this machine"},
      {"total: 40960", "total: 600", "memory_mib.reserved is more than the total"},
      {"\"8.0\"", "eight", "compute_capability must be like \"9.0\""},
      {"  pairs:", "  all: 6\n  pairs:", "nvlinks.switches must name at least one"},
      {"  pairs:", "  all: 6\n  switches: [here]\n  pairs:", "must hold PCI addresses only"},
      {"  pairs:", "  all: 6\n  boards: [{gpus: \"0-3\"}]\n  pairs:", "must be a list of ind"},
      {"[1, 0]", "[1, 3]", "gpus must be two different indices"},
      {"[1, 0]", "[1, 1]", "gpus must be two different indices"},
      {"numa:\n", "numa: {}\nnuma2:\n", "the machine.numa must be a list"},
      {"hostname: small", "hostname: [", "test.yaml:"},
  };
  for (const Case& c : cases) EXPECT_THAT(ParseError(c.from, c.to), HasSubstr(c.message));
}

TEST(MachineFile, NamesAFileThatIsMissing) {
  const auto machine = ReadMachineFile("/nonexistent/machine.yaml");
  ASSERT_FALSE(machine.has_value());
  EXPECT_EQ(machine.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(machine.error().message, HasSubstr("/nonexistent/machine.yaml"));
}

}  // namespace
}  // namespace gp
