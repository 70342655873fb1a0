#include "adapters/outbound/hwloc/hwloc_topology.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/adapters/hwloc/topology_text.h"

namespace gp {
namespace {

HostFacts ReadMachine(const std::string& file) {
  auto topology = HwlocTopology::OpenXmlFile(GP_SOURCE_DIR "/data/topologies/" + file);
  EXPECT_TRUE(topology.has_value()) << topology.error().message;
  Result<HostFacts> facts = (*topology)->Read();
  EXPECT_TRUE(facts.has_value()) << facts.error().message;
  return *facts;
}

TEST(HwlocTopology, ReadsAnNvswitchMachine) {
  const HostFacts facts = ReadMachine("dgx2h-16xV100-nvswitch.xml");
  EXPECT_EQ(facts.packages, 2);
  EXPECT_EQ(facts.cpus.ToString(), "0-1,24-25");
  EXPECT_EQ(facts.memory_mib, 772699 + 774133);
  EXPECT_EQ(NumaText(facts), "0 0 0-1 772699\n1 1 24-25 774133\n");
  // Two levels of switches: the nearer one names the pair.  The NVSwitches are no GPUs.
  EXPECT_EQ(GpuText(facts),
            "0000:34:00.0 0 0000:2b:00.0 0000:32:00.0\n"
            "0000:36:00.0 0 0000:2b:00.0 0000:32:00.0\n"
            "0000:39:00.0 0 0000:2b:00.0 0000:37:00.0\n"
            "0000:3b:00.0 0 0000:2b:00.0 0000:37:00.0\n"
            "0000:57:00.0 0 0000:4e:00.0 0000:55:00.0\n"
            "0000:59:00.0 0 0000:4e:00.0 0000:55:00.0\n"
            "0000:5c:00.0 0 0000:4e:00.0 0000:5a:00.0\n"
            "0000:5e:00.0 0 0000:4e:00.0 0000:5a:00.0\n"
            "0000:b7:00.0 1 0000:ae:00.0 0000:b5:00.0\n"
            "0000:b9:00.0 1 0000:ae:00.0 0000:b5:00.0\n"
            "0000:bc:00.0 1 0000:ae:00.0 0000:ba:00.0\n"
            "0000:be:00.0 1 0000:ae:00.0 0000:ba:00.0\n"
            "0000:e0:00.0 1 0000:d7:00.0 0000:de:00.0\n"
            "0000:e2:00.0 1 0000:d7:00.0 0000:de:00.0\n"
            "0000:e5:00.0 1 0000:d7:00.0 0000:e3:00.0\n"
            "0000:e7:00.0 1 0000:d7:00.0 0000:e3:00.0\n");
  EXPECT_TRUE(facts.warnings.empty());
}

TEST(HwlocTopology, KeepsNumaIdsThatHaveHoles) {
  const HostFacts facts = ReadMachine("llnl-lassen-power9-4xV100.xml");
  EXPECT_EQ(facts.hostname, "lassen28");
  EXPECT_EQ(facts.packages, 2);
  EXPECT_EQ(facts.cpus.Count(), 160);
  EXPECT_EQ(NumaText(facts), "0 0 8-87 130748\n8 1 96-175 130812\n");
  EXPECT_EQ(GpuText(facts),
            "0004:04:00.0 0 0004:00:00.0 0004:01:00.0\n"
            "0004:05:00.0 0 0004:00:00.0 0004:01:00.0\n"
            "0035:03:00.0 8 0035:00:00.0 0035:01:00.0\n"
            "0035:04:00.0 8 0035:00:00.0 0035:01:00.0\n");
}

TEST(HwlocTopology, ReadsGpusBehindRootPortsOnly) {
  const HostFacts facts = ReadMachine("aws-g4dn.metal-8xT4.xml");
  EXPECT_EQ(facts.hostname, "gpu-st-g4dnmetal-1");
  EXPECT_EQ(facts.packages, 2);
  EXPECT_EQ(facts.cpus.ToString(), "0-95");
  EXPECT_EQ(NumaText(facts), "0 0 0-23,48-71 193060\n1 1 24-47,72-95 193523\n");
  EXPECT_EQ(GpuText(facts),
            "0000:18:00.0 0 0000:17:00.0 -\n"
            "0000:19:00.0 0 0000:17:00.0 -\n"
            "0000:35:00.0 0 0000:34:00.0 -\n"
            "0000:36:00.0 0 0000:34:00.0 -\n"
            "0000:e7:00.0 1 0000:e6:00.0 -\n"
            "0000:e8:00.0 1 0000:e6:00.0 -\n"
            "0000:f4:00.0 1 0000:f3:00.0 -\n"
            "0000:f5:00.0 1 0000:f3:00.0 -\n");
}

TEST(HwlocTopology, ReadsCpuNumbersWithHoles) {
  const HostFacts facts = ReadMachine("power8-4xP100-nvlink.xml");
  EXPECT_EQ(facts.hostname, "drac-12.grenoble.grid5000.fr");
  EXPECT_EQ(NumaText(facts),
            "0 0 0-1,8-9,16-17,24-25 65380\n"
            "1 1 80-81,88-89,96-97,104-105 65279\n");
  EXPECT_EQ(GpuText(facts),
            "0002:01:00.0 0 0002:00:00.0 -\n"
            "0003:01:00.0 0 0003:00:00.0 -\n"
            "000a:01:00.0 1 000a:00:00.0 -\n"
            "000b:01:00.0 1 000b:00:00.0 -\n");
}

// One package of two NUMA nodes and what is below it on PCI.  The second node has a CPU, or is
// memory without CPUs.
std::string SmallHost(const std::string& pci, bool second_has_cpu = true) {
  const auto sets = [](const std::string& cpus, const std::string& nodes) {
    return " cpuset=\"" + cpus + "\" complete_cpuset=\"" + cpus + "\" nodeset=\"" + nodes +
           "\" complete_nodeset=\"" + nodes + "\"";
  };
  const std::string both = sets(second_has_cpu ? "0x3" : "0x1", "0x3");
  const std::string cpus = second_has_cpu ? "0x3" : "0x1";
  std::string xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
      "<topology version=\"2.0\">\n<object type=\"Machine\" os_index=\"0\" allowed_cpuset=\"" +
      cpus + "\" allowed_nodeset=\"0x3\" gp_index=\"1\"" + both + ">\n" +
      "<object type=\"Package\" os_index=\"0\" gp_index=\"2\"" + both + ">\n";
  const auto node = [&](int id, const std::string& node_sets) {
    const std::string number = std::to_string(id);
    return "<object type=\"NUMANode\" os_index=\"" + number + "\" gp_index=\"1" + number +
           "\" local_memory=\"1073741824\"" + node_sets + "/>\n";
  };
  const auto cpu = [&](int id, const std::string& cpu_sets) {
    const std::string number = std::to_string(id);
    return "<object type=\"PU\" os_index=\"" + number + "\" gp_index=\"2" + number + "\"" +
           cpu_sets + "/>\n";
  };
  if (second_has_cpu) {
    for (int id : {0, 1}) {
      const std::string own = id == 0 ? sets("0x1", "0x1") : sets("0x2", "0x2");
      xml += "<object type=\"Group\" kind=\"1001\" subkind=\"0\" gp_index=\"3" +
             std::to_string(id) + "\"" + own + ">\n" + node(id, own) + cpu(id, own) + "</object>\n";
    }
  } else {
    xml += node(0, sets("0x1", "0x1")) + node(1, sets("0x0", "0x2")) + cpu(0, sets("0x1", "0x1"));
  }
  return xml + pci + "</object>\n</object>\n</topology>\n";
}

constexpr char kGpuBelowHostBridge[] =
    R"(<object type="Bridge" gp_index="90" bridge_type="0-1" depth="0" bridge_pci="0000:[00-02]">
<object type="PCIDev" gp_index="91" pci_busid="0000:01:00.0"
  pci_type="0302 [10de:2330] [10de:16c1] a1"
  pci_link_speed="0.000000"/>
<object type="PCIDev" gp_index="92" pci_busid="0000:02:00.0"
  pci_type="0300 [1a03:2000] [1a03:2000] 41"
  pci_link_speed="0.000000"/>
</object>
)";

HostFacts ReadXml(const std::string& xml) {
  const Result<HostFacts> facts = HwlocTopology::OpenXml(xml, "test.xml")->Read();
  EXPECT_TRUE(facts.has_value()) << facts.error().message;
  return facts.value_or(HostFacts());
}

TEST(HwlocTopology, DoesNotGuessTheNumaNodeThatFirmwareHides) {
  const HostFacts facts = ReadXml(SmallHost(kGpuBelowHostBridge));
  EXPECT_EQ(NumaText(facts), "0 0 0 1024\n1 0 1 1024\n");
  EXPECT_EQ(GpuText(facts), "0000:01:00.0 - 0000:01:00.0 -\n");
  ASSERT_EQ(facts.warnings.size(), 1u);
  EXPECT_EQ(facts.warnings[0],
            "GPU 0000:01:00.0: the firmware does not report which of 2 NUMA nodes is near");
}

TEST(HwlocTopology, CountsMemoryWithoutCpusAsNobodysNeighbour) {
  const HostFacts facts = ReadXml(SmallHost(kGpuBelowHostBridge, /*second_has_cpu=*/false));
  EXPECT_EQ(NumaText(facts), "0 0 0 1024\n1 0  1024\n");
  EXPECT_EQ(facts.memory_mib, 2048);
  EXPECT_EQ(GpuText(facts), "0000:01:00.0 0 0000:01:00.0 -\n");
  EXPECT_TRUE(facts.warnings.empty());
}

// A root port with a plain bridge below it is no switch: that takes two ports more.
TEST(HwlocTopology, TakesARootPortForNoSwitch) {
  const HostFacts facts = ReadXml(SmallHost(
      R"(<object type="Bridge" gp_index="90" bridge_type="0-1" depth="0" bridge_pci="0000:[00-02]">
<object type="Bridge" gp_index="91" bridge_type="1-1" depth="1" bridge_pci="0000:[01-02]"
  pci_busid="0000:00:01.0" pci_type="0604 [8086:2030] [0000:0000] 02"
  pci_link_speed="0.000000">
<object type="Bridge" gp_index="92" bridge_type="1-1" depth="2" bridge_pci="0000:[02-02]"
  pci_busid="0000:01:00.0" pci_type="0604 [10b5:8747] [0000:0000] 02"
  pci_link_speed="0.000000">
<object type="PCIDev" gp_index="93" pci_busid="0000:02:00.0"
  pci_type="0302 [10de:2330] [10de:16c1] a1"
  pci_link_speed="0.000000"/>
</object>
</object>
</object>
)"));
  EXPECT_EQ(GpuText(facts), "0000:02:00.0 - 0000:00:01.0 -\n");
}

TEST(HwlocTopology, NamesTheFileThatItCannotRead) {
  const auto missing = HwlocTopology::OpenXmlFile("/nonexistent/topology.xml");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message.find("/nonexistent/topology.xml"), std::string::npos);

  for (const std::string text : {"", "no xml at all", "<?xml version=\"1.0\"?><topology/>"}) {
    const Result<HostFacts> facts = HwlocTopology::OpenXml(text, "bad.xml")->Read();
    ASSERT_FALSE(facts.has_value()) << text;
    EXPECT_EQ(facts.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_TRUE(facts.error().message.starts_with("bad.xml: ")) << facts.error().message;
  }
}

TEST(HwlocTopology, ReadsThisMachine) {
  const Result<HostFacts> facts = HwlocTopology::OpenLive()->Read();
  ASSERT_TRUE(facts.has_value()) << facts.error().message;
  EXPECT_GE(facts->packages, 1);
  EXPECT_FALSE(facts->hostname.empty());
  EXPECT_LE(facts->cpus.Count(), sysconf(_SC_NPROCESSORS_CONF));
  EXPECT_GT(facts->memory_mib, 0);
  CpuSet covered;
  for (const NumaNode& node : facts->numa_nodes) covered = covered.Union(node.cpus);
  EXPECT_EQ(covered, facts->cpus);
}

}  // namespace
}  // namespace gp
