// What the fake tells against what the file says, read here by other code.

#include <yaml-cpp/yaml.h>

#include <set>

#include "tests/unit/fakes/nvml/fake_library.h"

namespace gp {
namespace {

constexpr unsigned long long kMib = 1024 * 1024;

class EveryMachine : public FakeNvmlTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    FakeNvmlTest::SetUp();
    file_ = YAML::LoadFile(MachinePath(GetParam()));
    StartMachine(GetParam());
  }
  YAML::Node file_;
};

INSTANTIATE_TEST_SUITE_P(Machines, EveryMachine,
                         testing::Values("t4-laptop", "l40s-4", "dgx2", "dgx-a100", "dgx-h100",
                                         "hgx-h200", "dgx-b200"),
                         [](const auto& machine) {
                           std::string name = machine.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(EveryMachine, TellsWhatTheFileSays) {
  unsigned count = 0;
  ASSERT_EQ(NVML(nvmlDeviceGetCount_v2)(&count), NVML_SUCCESS);
  ASSERT_EQ(count, file_["gpus"].size());
  const YAML::Node model = file_["gpu_defaults"];
  for (unsigned i = 0; i < count; ++i) {
    const YAML::Node gpu = file_["gpus"][i];
    const nvmlDevice_t device = Gpu(i);
    EXPECT_EQ(Uuid(device), gpu["uuid"].as<std::string>());
    char text[96] = "";
    NVML(nvmlDeviceGetName)(device, text, sizeof text);
    EXPECT_EQ(text, model["name"].as<std::string>());
    NVML(nvmlDeviceGetSerial)(device, text, sizeof text);
    EXPECT_EQ(text, gpu["serial"].as<std::string>());
    unsigned minor = 99;
    NVML(nvmlDeviceGetMinorNumber)(device, &minor);
    EXPECT_EQ(minor, i);
    nvmlPciInfo_t pci = {};
    NVML(nvmlDeviceGetPciInfo_v3)(device, &pci);
    EXPECT_EQ(pci.busId, gpu["bus_id"].as<std::string>());
    nvmlMemory_v2_t memory = {};
    memory.version = NvmlStructVersion<nvmlMemory_v2_t>(2);
    ASSERT_EQ(NVML(nvmlDeviceGetMemoryInfo_v2)(device, &memory), NVML_SUCCESS);
    EXPECT_EQ(memory.total / kMib, model["memory_mib"]["total"].as<unsigned>());
    EXPECT_EQ(memory.reserved / kMib, model["memory_mib"]["reserved"].as<unsigned>());
    EXPECT_EQ(memory.free, memory.total - memory.reserved);
  }
}

TEST_P(EveryMachine, LinksEveryPairAsTheFileSays) {
  const int links = file_["nvlinks"] ? file_["nvlinks"]["all"].as<int>() : 0;
  for (unsigned i = 0; i < file_["gpus"].size(); ++i) {
    int active = 0;
    for (unsigned link = 0; link < NVML_NVLINK_MAX_LINKS; ++link) {
      nvmlEnableState_t state = NVML_FEATURE_DISABLED;
      if (NVML(nvmlDeviceGetNvLinkState)(Gpu(i), link, &state) != NVML_SUCCESS) continue;
      if (state == NVML_FEATURE_ENABLED) ++active;
    }
    EXPECT_EQ(active, links);
  }
}

TEST_P(EveryMachine, HandlesAreFoundByUuidBusAndSerial) {
  for (unsigned i = 0; i < file_["gpus"].size(); ++i) {
    const YAML::Node gpu = file_["gpus"][i];
    nvmlDevice_t by_uuid = {}, by_bus = {}, by_serial = {};
    NVML(nvmlDeviceGetHandleByUUID)(gpu["uuid"].as<std::string>().c_str(), &by_uuid);
    NVML(nvmlDeviceGetHandleByPciBusId_v2)(gpu["bus_id"].as<std::string>().c_str(), &by_bus);
    NVML(nvmlDeviceGetHandleBySerial)(gpu["serial"].as<std::string>().c_str(), &by_serial);
    EXPECT_EQ(by_uuid.handle, Gpu(i).handle);
    EXPECT_EQ(by_bus.handle, Gpu(i).handle);
    EXPECT_EQ(by_serial.handle, Gpu(i).handle);
  }
}

TEST_P(EveryMachine, TwoNodesOfOneFileShareNothing) {
  std::set<std::string> uuids, serials;
  std::set<unsigned> minors;
  const size_t gpus = file_["gpus"].size();
  for (const char* node : {"0", "1", "7"}) {
    NVML(nvmlShutdown)();
    setenv("GPU_PLATFORM_FAKE_NVML_NODE", node, 1);
    StartMachine(GetParam());
    for (unsigned i = 0; i < gpus; ++i) {
      uuids.insert(Uuid(Gpu(i)));
      char serial[NVML_DEVICE_SERIAL_BUFFER_SIZE] = "";
      NVML(nvmlDeviceGetSerial)(Gpu(i), serial, sizeof serial);
      serials.insert(serial);
      unsigned minor = 0;
      NVML(nvmlDeviceGetMinorNumber)(Gpu(i), &minor);
      EXPECT_EQ(minor / 16, static_cast<unsigned>(std::atoi(node)));
      minors.insert(minor);
    }
  }
  EXPECT_EQ(uuids.size(), 3 * gpus);
  EXPECT_EQ(serials.size(), 3 * gpus);
  EXPECT_EQ(minors.size(), 3 * gpus);
}

nvmlGpuTopologyLevel_t Level(nvmlDevice_t a, nvmlDevice_t b) {
  nvmlGpuTopologyLevel_t level = {};
  EXPECT_EQ(NVML(nvmlDeviceGetTopologyCommonAncestor)(a, b, &level), NVML_SUCCESS);
  return level;
}

TEST_F(FakeNvmlTest, TopologyOfTheDgx2IsThatOfTheCapture) {
  StartMachine("dgx2");
  EXPECT_EQ(Level(Gpu(0), Gpu(1)), NVML_TOPOLOGY_SINGLE);
  EXPECT_EQ(Level(Gpu(0), Gpu(3)), NVML_TOPOLOGY_MULTIPLE);
  EXPECT_EQ(Level(Gpu(0), Gpu(4)), NVML_TOPOLOGY_NODE);
  EXPECT_EQ(Level(Gpu(0), Gpu(15)), NVML_TOPOLOGY_SYSTEM);
  nvmlPciInfo_t first = {}, last = {};
  NVML(nvmlDeviceGetNvLinkRemotePciInfo_v2)(Gpu(0), 0, &first);
  NVML(nvmlDeviceGetNvLinkRemotePciInfo_v2)(Gpu(15), 0, &last);
  EXPECT_STREQ(first.busId, "00000000:61:00.0");
  EXPECT_STREQ(last.busId, "00000000:C1:00.0");
}

TEST_F(FakeNvmlTest, AffinityFollowsTheNumaNode) {
  StartMachine("dgx-a100");
  unsigned long cpus[4] = {}, nodes[1] = {};
  ASSERT_EQ(NVML(nvmlDeviceGetCpuAffinity)(Gpu(0), 4, cpus), NVML_SUCCESS);
  ASSERT_EQ(NVML(nvmlDeviceGetMemoryAffinity)(Gpu(0), 1, nodes, NVML_AFFINITY_SCOPE_NODE),
            NVML_SUCCESS);
  EXPECT_EQ(cpus[0], 0xffff000000000000ul);  // 48-63
  EXPECT_EQ(nodes[0], 1ul << 3);
  ASSERT_EQ(NVML(nvmlDeviceGetCpuAffinityWithinScope)(Gpu(0), 4, cpus, NVML_AFFINITY_SCOPE_SOCKET),
            NVML_SUCCESS);
  EXPECT_EQ(cpus[0], ~0ul);  // 0-63, four nodes
  EXPECT_EQ(cpus[1], 0ul);
}

TEST_F(FakeNvmlTest, UsableMemoryOfAnL40sIs46068Mib) {
  StartMachine("l40s-4");
  nvmlMemory_v2_t memory = {};
  memory.version = NvmlStructVersion<nvmlMemory_v2_t>(2);
  NVML(nvmlDeviceGetMemoryInfo_v2)(Gpu(3), &memory);
  EXPECT_EQ((memory.total - memory.reserved) / kMib, 46068u);
}

}  // namespace
}  // namespace gp
