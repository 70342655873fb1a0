#include "domain/placement/host_share.h"

#include <gtest/gtest.h>

#include "domain/placement/choose_gpus.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

// Eight GPUs over two NUMA nodes of 48 cores and 512 GiB each.
Node EmptyNode() {
  Node node;
  node.facts =
      std::make_shared<const NodeFacts>(TestCluster::MakeFacts("n1", {0, 0, 0, 0, 1, 1, 1, 1}));
  node.gpus.resize(8);
  node.numa.resize(2);
  return Ideal(node);
}

JobSpec Asking(int gpus, int cpus, int64_t memory_gib) {
  JobSpec spec;
  spec.resources.gpus.count = gpus;
  spec.resources.cpus = cpus;
  spec.resources.memory_bytes = memory_gib << 30;
  return spec;
}

std::string Text(const std::optional<std::vector<NumaGrant>>& grants) {
  if (!grants) return "no";
  std::string text;
  for (const NumaGrant& grant : *grants) {
    text += (text.empty() ? "" : " ") + std::to_string(grant.numa) + ":" + grant.cpus.ToString() +
            "/" + std::to_string(grant.memory_mib / 1024);
  }
  return text;
}

TEST(HostNeed, TheFairPartWhereNothingIsAsked) {
  const NodeFacts facts = *EmptyNode().facts;
  EXPECT_EQ(NeedOf(Asking(1, 0, 0), facts), (HostNeed{12, 128 * 1024}));
  EXPECT_EQ(NeedOf(Asking(8, 0, 0), facts), (HostNeed{96, 1024 * 1024}));
  EXPECT_EQ(NeedOf(Asking(2, 5, 7), facts), (HostNeed{5, 7 * 1024}));
  EXPECT_EQ(NeedOf(Asking(0, 0, 0), facts), (HostNeed{0, 0}));
}

TEST(HostNeed, SharesBringMemoryButNoCores) {
  JobSpec spec = Asking(1, 0, 0);
  spec.resources.gpus.isolation = Isolation::kTimeslice;
  spec.resources.gpus.share_thousandths = 500;
  EXPECT_EQ(NeedOf(spec, *EmptyNode().facts).cpus, 0);
  // Half a GPU's memory, rounded down to MiB: 40779 of 81559.
  EXPECT_EQ(NeedOf(spec, *EmptyNode().facts).memory_mib, int64_t{128} * 1024 * 40'779 / 81'559);
}

TEST(HostNeed, BytesAreRoundedUpToMib) {
  JobSpec spec = Asking(1, 1, 0);
  spec.resources.memory_bytes = (1 << 20) + 1;
  EXPECT_EQ(NeedOf(spec, *EmptyNode().facts).memory_mib, 2);
}

TEST(ShareHost, FollowsTheGpus) {
  const Node node = EmptyNode();
  EXPECT_EQ(Text(ShareHost(node, Asking(1, 4, 8), 0b0000'0001)), "0:0-3/8");
  EXPECT_EQ(Text(ShareHost(node, Asking(1, 4, 8), 0b0001'0000)), "1:48-51/8");
  EXPECT_EQ(Text(ShareHost(node, Asking(2, 4, 8), 0b0001'0001)), "0:0-1/4 1:48-49/4");
  EXPECT_EQ(Text(ShareHost(node, Asking(4, 4, 8), 0b0001'0111)), "0:0-2/6 1:48/2");
}

TEST(ShareHost, SpillsWhereItMay) {
  Node node = EmptyNode();
  node.numa[0].cpus_granted = CpuSet::Parse("0-45").value();
  EXPECT_EQ(Text(ShareHost(node, Asking(1, 4, 8), 0b1)), "0:46-47/8 1:48-49/0");
  JobSpec strict = Asking(1, 4, 8);
  strict.placement.topology.allow_cross_numa = false;
  EXPECT_EQ(Text(ShareHost(node, strict, 0b1)), "no");
  strict.placement.topology = {TopologyLevel::kSameNuma, TopologyLevel::kSameNuma, true};
  EXPECT_EQ(Text(ShareHost(node, strict, 0b1)), "no");
  strict.resources.cpus = 2;
  EXPECT_EQ(Text(ShareHost(node, strict, 0b1)), "0:46-47/8");
}

TEST(ShareHost, SpillsToTheSocketOfTheGpusFirst) {
  Node node;
  node.facts =
      std::make_shared<const NodeFacts>(TestCluster::MakeFacts("n1", {0, 0, 1, 1, 2, 2, 3, 3}));
  node.gpus.resize(8);
  node.numa.resize(4);
  const auto grants = ShareHost(Ideal(node), Asking(1, 60, 1), GpuMask{1} << 7);
  ASSERT_TRUE(grants);
  ASSERT_EQ(grants->size(), 2u);
  EXPECT_EQ((*grants)[0].numa, 2);
  EXPECT_EQ((*grants)[0].cpus.Count(), 12);
  EXPECT_EQ((*grants)[1].numa, 3);
  EXPECT_EQ((*grants)[1].cpus.Count(), 48);
}

TEST(ShareHost, SaysNoWhenTheNodeIsFull) {
  Node node = EmptyNode();
  EXPECT_EQ(Text(ShareHost(node, Asking(1, 97, 1), 0b1)), "no");
  EXPECT_EQ(Text(ShareHost(node, Asking(1, 1, 1025), 0b1)), "no");
  EXPECT_NE(Text(ShareHost(node, Asking(1, 96, 1024), 0b1)), "no");
  node.numa[1].memory_granted_mib = 1;
  EXPECT_EQ(Text(ShareHost(node, Asking(1, 96, 1024), 0b1)), "no");
}

TEST(ShareHost, WithoutGpusAllNumaNodesAreAlike) {
  EXPECT_EQ(Text(ShareHost(EmptyNode(), Asking(0, 4, 8), 0)), "0:0-1/4 1:48-49/4");
  EXPECT_EQ(Text(ShareHost(EmptyNode(), Asking(0, 0, 0), 0)), "");
}

}  // namespace
}  // namespace gp
