#include "adapters/outbound/hwloc/recorded_gpus.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "adapters/outbound/hwloc/loaded_topology.h"
#include "tests/unit/adapters/hwloc/topology_text.h"

namespace gp {
namespace {

RecordedGpus ReadGpusOf(const std::string& file) {
  const std::string path = GP_SOURCE_DIR "/data/topologies/" + file;
  std::ifstream stream(path, std::ios::binary);
  const std::string xml(std::istreambuf_iterator<char>(stream), {});
  Result<LoadedTopology> topology = LoadXmlTopology(xml, path);
  EXPECT_TRUE(topology.has_value()) << topology.error().message;
  Result<RecordedGpus> gpus = ReadRecordedGpus(topology->get());
  EXPECT_TRUE(gpus.has_value()) << gpus.error().message;
  return *gpus;
}

TEST(RecordedGpus, JoinsEveryPairOfAnNvswitchMachineBySixLinks) {
  const RecordedGpus recorded = ReadGpusOf("dgx2h-16xV100-nvswitch.xml");
  ASSERT_EQ(recorded.gpus.size(), 16u);
  EXPECT_EQ(recorded.gpus[0].uuid, "GPU-d3977428-7a30-086b-2e20-5c1eeed647c6");
  EXPECT_EQ(recorded.gpus[0].serial, "0321019030775");
  EXPECT_EQ(recorded.gpus[0].name, "Tesla V100-SXM3-32GB-H");
  EXPECT_EQ(recorded.gpus[0].pci_bus_id, "00000000:34:00.0");
  EXPECT_EQ(recorded.gpus[15].index, 15);
  EXPECT_EQ(recorded.gpus[15].pci_bus_id, "00000000:E7:00.0");
  // What `nvidia-smi topo -m` prints on this model: NV6 everywhere.
  ASSERT_EQ(recorded.links.size(), 120u);
  for (const GpuLinks& link : recorded.links) {
    EXPECT_LT(link.gpu_a, link.gpu_b);
    EXPECT_EQ(link.link_count, 6);
    EXPECT_TRUE(link.through_switch);
  }
}

TEST(RecordedGpus, DoesNotInventLinksThroughCpus) {
  const RecordedGpus recorded = ReadGpusOf("power8-4xP100-nvlink.xml");
  ASSERT_EQ(recorded.gpus.size(), 4u);
  EXPECT_EQ(recorded.gpus[2].pci_bus_id, "0000000A:01:00.0");
  EXPECT_EQ(LinkText(recorded.links), "0-1 1\n2-3 1\n");
}

TEST(RecordedGpus, FindsNoLinksWhereNoneWereRecorded) {
  const RecordedGpus t4 = ReadGpusOf("aws-g4dn.metal-8xT4.xml");
  ASSERT_EQ(t4.gpus.size(), 8u);  // and not 24: CUDA and OpenCL show the same cards again
  EXPECT_EQ(t4.gpus[7].name, "Tesla T4");
  EXPECT_TRUE(t4.links.empty());
  EXPECT_EQ(ReadGpusOf("llnl-lassen-power9-4xV100.xml").gpus.size(), 4u);
}

}  // namespace
}  // namespace gp
