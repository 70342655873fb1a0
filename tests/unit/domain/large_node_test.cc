// Nodes on which not every set can be compared: more than kExactGpus eligible GPUs.

#include <gtest/gtest.h>

#include <algorithm>

#include "domain/placement/choose_gpus.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

// 64 GPUs, 16 to a NUMA node.
Node LargeNode() {
  std::vector<int> numa;
  for (int i = 0; i < 64; ++i) numa.push_back(i / 16);
  Node node;
  node.facts = std::make_shared<const NodeFacts>(TestCluster::MakeFacts("big", numa));
  node.gpus.resize(64);
  node.numa.resize(4);
  return Ideal(node);
}

JobSpec Asking(int gpus) {
  JobSpec spec;
  spec.resources.gpus.count = gpus;
  spec.resources.cpus = 1;
  spec.resources.memory_bytes = 1 << 20;
  return spec;
}

Job JobOf(const JobSpec& spec) {
  Job job;
  job.spec = std::make_shared<const JobSpec>(spec);
  job.user.name = "ana";
  return job;
}

std::vector<int> Chosen(const Node& node, const JobSpec& spec) {
  const auto choice = ChooseGpus(node, JobOf(spec), {});
  std::vector<int> gpus;
  if (!choice) return gpus;
  for (const GpuGrant& grant : choice->placement.gpus) gpus.push_back(grant.gpu);
  return gpus;
}

TEST(LargeNode, StaysInOneNumaNodeWhereItCan) {
  Node node = LargeNode();
  for (size_t i = 0; i < 12; ++i) node.gpus[i].leases = {LeaseId{i + 1}};
  EXPECT_EQ(Chosen(node, Asking(4)), (std::vector<int>{12, 13, 14, 15}));
  EXPECT_EQ(Chosen(node, Asking(8)).front() / 16, Chosen(node, Asking(8)).back() / 16);
}

TEST(LargeNode, SpillsInOrder) {
  const std::vector<int> chosen = Chosen(LargeNode(), Asking(20));
  ASSERT_EQ(chosen.size(), 20u);
  EXPECT_EQ(chosen.back() / 16 - chosen.front() / 16, 1);
}

TEST(LargeNode, TakesAll64) {
  EXPECT_EQ(Chosen(LargeNode(), Asking(64)).size(), 64u);
  EXPECT_TRUE(Chosen(LargeNode(), Asking(65)).empty());
}

TEST(LargeNode, OneNumaNodeIsKeptWhereDemanded) {
  JobSpec spec = Asking(17);
  spec.placement.topology.allow_cross_numa = false;
  EXPECT_TRUE(Chosen(LargeNode(), spec).empty());
  spec.resources.gpus.count = 16;
  EXPECT_EQ(Chosen(LargeNode(), spec).size(), 16u);
}

TEST(LargeNode, AJobWithoutGpusFits) {
  const auto choice = ChooseGpus(LargeNode(), JobOf(Asking(0)), {});
  ASSERT_TRUE(choice.has_value());
  EXPECT_TRUE(choice->placement.gpus.empty());
}

TEST(Emptied, KeepsConditionsAndIdealForgetsThem) {
  Node node = LargeNode();
  node.gpus[0].condition = GpuCondition::kLost;
  node.gpus[1].draining = true;
  node.gpus[2].leases = {LeaseId{1}};
  node.numa[0].memory_granted_mib = 5;
  EXPECT_EQ(FreeGpus(Emptied(node)), ~GpuMask{3});
  EXPECT_EQ(FreeGpus(Ideal(node)), ~GpuMask{0});
  EXPECT_EQ(Emptied(node).numa[0].memory_granted_mib, 0);
}

}  // namespace
}  // namespace gp
