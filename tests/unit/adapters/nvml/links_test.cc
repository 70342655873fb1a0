#include "adapters/outbound/nvml/links.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

NvlinkEnds Gpu(int index, const std::string& bus_id) {
  NvlinkEnds ends;
  ends.gpu_index = index;
  ends.pci_bus_id = bus_id;
  return ends;
}

TEST(JoinNvlinks, CountsDirectLinksThatBothEndsReport) {
  NvlinkEnds a = Gpu(0, "a");
  NvlinkEnds b = Gpu(1, "b");
  a.to_gpus["b"] = 4;
  b.to_gpus["a"] = 3;
  const std::vector<GpuLinks> links = JoinNvlinks({a, b});
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].link_count, 3);
  EXPECT_FALSE(links[0].through_switch);
  b.to_gpus.clear();
  EXPECT_TRUE(JoinNvlinks({a, b}).empty());
}

TEST(JoinNvlinks, GivesASwitchedPairWhatTheWeakerEndHas) {
  std::vector<NvlinkEnds> ends = {Gpu(0, "a"), Gpu(1, "b"), Gpu(3, "c"), Gpu(4, "d")};
  ends[0].to_switches = 18;
  ends[1].to_switches = 17;
  ends[2].to_switches = 18;
  const std::vector<GpuLinks> links = JoinNvlinks(ends);
  ASSERT_EQ(links.size(), 3u);  // the last has no links at all
  EXPECT_EQ(links[0].link_count, 17);
  EXPECT_EQ(links[1].gpu_b, 3);
  EXPECT_EQ(links[1].link_count, 18);
  EXPECT_EQ(links[2].link_count, 17);
  EXPECT_TRUE(links[2].through_switch);
}

TEST(JoinNvlinks, TakesAnUnknownNvidiaDeviceForASwitch) {
  NvlinkEnds a = Gpu(0, "a");
  NvlinkEnds b = Gpu(1, "b");
  NvlinkEnds c = Gpu(2, "c");
  a.to_gpus_or_switches = {{"b", 2}, {"switch-1", 1}, {"switch-2", 1}};
  b.to_gpus_or_switches = {{"a", 2}};
  c.to_gpus_or_switches = {{"switch-1", 1}};
  const std::vector<GpuLinks> links = JoinNvlinks({a, b, c});
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[0].gpu_b, 1);
  EXPECT_EQ(links[0].link_count, 2);
  EXPECT_FALSE(links[0].through_switch);
  EXPECT_EQ(links[1].gpu_b, 2);
  EXPECT_EQ(links[1].link_count, 1);
  EXPECT_TRUE(links[1].through_switch);
}

TEST(JoinNvlinks, IgnoresAGpuThatIsNotOfThisHost) {
  NvlinkEnds a = Gpu(0, "a");
  NvlinkEnds b = Gpu(1, "b");
  a.to_gpus["elsewhere"] = 4;
  b.to_gpus["elsewhere"] = 4;
  EXPECT_TRUE(JoinNvlinks({a, b}).empty());
}

}  // namespace
}  // namespace gp
