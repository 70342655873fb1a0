#include "adapters/outbound/machine_file/write_machine_file.h"

#include <gtest/gtest.h>

#include "adapters/outbound/machine_file/machine_file.h"

namespace gp {
namespace {

GpuIdentity Gpu(int index, const std::string& bus_id) {
  GpuIdentity gpu;
  gpu.index = index;
  gpu.minor = index + 2;
  gpu.uuid = "GPU-" + std::to_string(index);
  gpu.name = "NVIDIA H100 80GB HBM3";
  gpu.pci_bus_id = bus_id;
  gpu.memory_total_mib = 81559;
  gpu.memory_reserved_mib = 605;
  gpu.compute_capability_major = 9;
  gpu.compute_capability_minor = 0;
  gpu.mig_capable = true;
  gpu.mig_profiles = {{19, "1g.10gb", 1, 9984, 7, {}}, {0, "7g.80gb", 7, 81152, 1, {}}};
  gpu.power_limit_watts = 700;
  return gpu;
}

GpuHealth Idle(int index, int celsius) {
  GpuHealth health;
  health.index = index;
  health.temperature_c = celsius;
  health.ecc = EccCounts();
  return health;
}

HostFacts Host() {
  HostFacts host;
  host.hostname = "a \"b\"\n";
  host.packages = 1;
  host.memory_mib = 500;
  host.cpus.AddRange(0, 3);
  host.numa_nodes.push_back({0, 0, host.cpus, 400});
  host.gpus.push_back({"0000:1b:00.0", 0, "0000:1a:00.0", "0000:1a:01.0"});
  return host;
}

DriverInventory Inventory() {
  DriverInventory inventory;
  inventory.driver_version = "570.1";
  inventory.cuda_version = "12.8";
  // Index 1 is missing: that GPU was lost.
  inventory.gpus = {Gpu(0, "00000000:1B:00.0"), Gpu(2, "00000000:2B:00.0")};
  inventory.links = {{0, 2, 4, false}};
  return inventory;
}

TEST(WriteMachineFile, WritesWhatGpusShareOnce) {
  EXPECT_EQ(WriteMachineFile(Host(), Inventory(), {Idle(0, 30), Idle(2, 31)}),
            R"yaml(machine: gpu-platform/v1
hostname: "a \"b\"\x0a"
memory_mib: 500
packages: 1
driver: {version: "570.1", cuda: "12.8"}

numa:
  - {id: 0, package: 0, cpus: "0-3", memory_mib: 400}

gpu_defaults:
  name: "NVIDIA H100 80GB HBM3"
  architecture: "hopper"
  compute_capability: "9.0"
  mig: "h100-80gb"
  ecc: true
  memory_mib: {total: 81559, reserved: 605}
  power_watts: {limit: 700}

gpus:
  - uuid: "GPU-0"
    minor: 2
    bus_id: "0000:1b:00.0"
    numa: 0
    root: "0000:1a:00.0"
    switch: "0000:1a:01.0"
    temperature_c: {idle: 30}
  - uuid: "GPU-2"
    minor: 4
    bus_id: "0000:2b:00.0"
    temperature_c: {idle: 31}

nvlinks:
  pairs:
    - {gpus: [0, 1], links: 4}
)yaml");
}

TEST(WriteMachineFile, IsReadBack) {
  const auto machine = ParseMachineFile(WriteMachineFile(Host(), Inventory(), {}), "test.yaml");
  ASSERT_TRUE(machine.has_value()) << machine.error().message;
  EXPECT_EQ(machine->host.hostname, "a \"b\"\n");
  EXPECT_EQ(machine->host.memory_mib, 500);
  EXPECT_EQ(machine->inventory.gpus.size(), 2u);
  EXPECT_EQ(machine->inventory.gpus[1].minor, 4);
  EXPECT_EQ(machine->inventory.gpus[1].pci_bus_id, "00000000:2B:00.0");
  EXPECT_TRUE(machine->inventory.gpus[0].mig_capable);
  EXPECT_EQ(machine->inventory.links.size(), 1u);
}

TEST(WriteMachineFile, WritesAHostWithoutGpus) {
  const std::string yaml = WriteMachineFile(Host(), DriverInventory(), {});
  const auto machine = ParseMachineFile(yaml, "test.yaml");
  ASSERT_TRUE(machine.has_value()) << machine.error().message << yaml;
  EXPECT_TRUE(machine->inventory.gpus.empty());
}

TEST(WriteMachineFile, JoinsAllThroughSwitches) {
  DriverInventory inventory = Inventory();
  inventory.links = {{0, 2, 18, true}};
  const auto machine = ParseMachineFile(WriteMachineFile(Host(), inventory, {}), "test.yaml");
  ASSERT_TRUE(machine.has_value()) << machine.error().message;
  ASSERT_EQ(machine->inventory.links.size(), 1u);
  EXPECT_EQ(machine->inventory.links[0].link_count, 18);
  EXPECT_TRUE(machine->inventory.links[0].through_switch);
}

}  // namespace
}  // namespace gp
