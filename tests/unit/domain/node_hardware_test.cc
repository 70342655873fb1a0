#include "domain/cluster/nodes/node_hardware.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "domain/node/gpu_places.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

NodeFacts Machine(const std::vector<int>& numa) {
  return TestCluster::MakeFacts("n1", numa, 18, 80'000, 8);
}

Node NodeOf(const NodeFacts& facts) {
  Node node;
  node.facts = std::make_shared<const NodeFacts>(facts);
  node.gpus.resize(facts.gpus.size());
  node.numa.resize(facts.numa.size());
  return node;
}

// Without the GPUs at these positions; the machine numbers the others from 0 on.
NodeFacts Without(const NodeFacts& facts, const std::vector<int>& gone) {
  NodeFacts less = facts;
  std::vector<int> kept;
  for (int i = 0; i < static_cast<int>(facts.gpus.size()); ++i) {
    if (std::ranges::find(gone, i) == gone.end()) kept.push_back(i);
  }
  less.gpus.clear();
  less.links.clear();
  for (const int a : kept) {
    less.gpus.push_back(facts.gpus[static_cast<size_t>(a)]);
    for (const int b : kept) less.links.push_back(static_cast<uint8_t>(facts.LinkCount(a, b)));
  }
  return less;
}

TEST(NodeHardware, AMissingGpuKeepsItsPositionAndItsLinks) {
  const NodeFacts before = Machine({0, 0, 1, 1});
  const auto change = MergeHardware(NodeOf(before), Without(before, {0, 2}), {});
  ASSERT_TRUE(change) << change.error().message;
  EXPECT_EQ(change->missing, (std::vector<int>{0, 2}));
  EXPECT_EQ(change->facts.links, before.links);
  for (size_t i = 0; i < before.gpus.size(); ++i) {
    EXPECT_EQ(change->facts.gpus[i].uuid, before.gpus[i].uuid);
    EXPECT_EQ(change->facts.gpus[i].presence,
              i == 0 || i == 2 ? GpuPresence::kMissing : GpuPresence::kPresent);
  }
}

TEST(NodeHardware, AReorderedMachineIsTheSame) {
  const NodeFacts before = Machine({0, 0, 1, 1});
  NodeFacts turned = before;
  std::ranges::reverse(turned.gpus);
  const auto change = MergeHardware(NodeOf(before), turned, {});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->facts, before);
  EXPECT_TRUE(change->missing.empty());
}

TEST(NodeHardware, ANewGpuGetsAPositionThatWasNeverUsed) {
  const NodeFacts before = Machine({0, 0});
  NodeFacts exchanged = before;
  exchanged.gpus[0].uuid = "GPU-new";
  const auto change = MergeHardware(NodeOf(before), exchanged, {});
  ASSERT_TRUE(change);
  ASSERT_EQ(change->facts.gpus.size(), 3u);
  EXPECT_EQ(change->facts.PositionOf("GPU-new"), 2);
  EXPECT_EQ(change->facts.LinkCount(2, 1), 18);
  EXPECT_EQ(change->facts.LinkCount(2, 0), 0);
}

TEST(NodeHardware, RetiredPositionsAreUsedAgainOnlyWhenThereIsNoOther) {
  NodeFacts full = Machine(std::vector<int>(kGpusMax, 0));
  NodeFacts exchanged = Without(full, {5});
  exchanged.gpus.push_back(full.gpus[0]);
  exchanged.gpus.back().uuid = "GPU-new";
  exchanged.links.assign(static_cast<size_t>(kGpusMax) * kGpusMax, 0);
  const auto refused = MergeHardware(NodeOf(full), exchanged, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("close the incidents"), std::string::npos);
  full.gpus[5].presence = GpuPresence::kRetired;
  const auto change = MergeHardware(NodeOf(full), exchanged, {});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->facts.PositionOf("GPU-new"), 5);
}

// Grants name NUMA nodes by position: what is held stays, and is part of what the node has.
TEST(NodeHardware, WhatIsHeldStaysGrantable) {
  const NodeFacts before = Machine({0, 1});
  Node node = NodeOf(before);
  node.leases = {{1}};
  node.gpus[1].leases = {{1}};
  Lease lease;
  lease.gpus = {{1, kWholeShare, 80'000}};
  lease.numa = {{1, before.numa[1].cpus.Lowest(2), before.numa[1].memory_mib}};
  NodeFacts less = before;
  less.numa.erase(less.numa.begin());
  less.numa[0].memory_mib -= 1'000;
  less.numa[0].cpus = less.numa[0].cpus.Minus(before.numa[1].cpus.Lowest(1));
  for (GpuFacts& gpu : less.gpus) gpu.numa = 0;
  less.gpus[1].memory_mib -= 500;
  const auto change = MergeHardware(node, less, {&lease});
  ASSERT_TRUE(change) << change.error().message;
  ASSERT_EQ(change->facts.numa.size(), 2u);
  EXPECT_TRUE(change->facts.numa[0].cpus.Empty());
  EXPECT_EQ(change->facts.numa[0].memory_mib, 0);
  EXPECT_EQ(change->facts.numa[1].cpus, before.numa[1].cpus);
  EXPECT_EQ(change->facts.numa[1].memory_mib, before.numa[1].memory_mib);
  EXPECT_EQ(change->facts.gpus[1].memory_mib, 80'000);
  EXPECT_EQ(change->facts.gpus[0].numa, 1);
  State state;
  state.leases.all[{1}] = lease;
  node.facts = std::make_shared<const NodeFacts>(change->facts);
  EXPECT_FALSE(IsOutOfDate(state, node, less));
  node.leases.clear();
  node.gpus[1].leases.clear();
  EXPECT_TRUE(IsOutOfDate(state, node, less)) << "nothing keeps the old figures any more";
}

TEST(NodeHardware, GpusTellMachinesApartAndIdsWhereThereAreNone) {
  const NodeFacts a = Machine({0, 0});
  NodeFacts other = a;
  for (GpuFacts& gpu : other.gpus) gpu.uuid += "-other";
  EXPECT_FALSE(IsSameMachine(a, other));
  other.gpus[1] = a.gpus[1];
  EXPECT_TRUE(IsSameMachine(a, other));
  NodeFacts bare = Without(a, {0, 1});
  EXPECT_TRUE(IsSameMachine(a, bare));
  NodeFacts named = a;
  named.machine = "m1";
  bare.machine = "m2";
  EXPECT_FALSE(IsSameMachine(named, bare));
  bare.machine = "m1";
  EXPECT_TRUE(IsSameMachine(named, bare));
}

TEST(GpuPlaces, TranslateBetweenTheLedgerAndTheAgent) {
  const NodeFacts before = Machine({0, 1, 1});
  const NodeFacts reported = Without(before, {0});
  const auto change = MergeHardware(NodeOf(before), reported, {});
  ASSERT_TRUE(change);
  const GpuPlaces places(change->facts, reported);
  std::vector<GpuObservation> seen{
      {0, true, false, "one"}, {1, true, false, "two"}, {7, true, false, "nobody's"}};
  places.ToLedger(seen);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].gpu, 1);
  EXPECT_EQ(seen[1].gpu, 2);
  NodeDesiredState desired;
  desired.leases.resize(1);
  desired.leases[0].lease.gpus = {{0, kWholeShare, 1}, {2, kWholeShare, 1}};
  desired.leases[0].lease.numa = {{1, {}, 5}};
  desired.tasks = {{0, GpuTask::kTest, 1}, {1, GpuTask::kTest, 2}};
  places.ToAgent(desired);
  ASSERT_EQ(desired.leases[0].lease.gpus.size(), 1u);
  EXPECT_EQ(desired.leases[0].lease.gpus[0].gpu, 1);
  EXPECT_EQ(desired.leases[0].lease.numa[0].numa, 1);
  ASSERT_EQ(desired.tasks.size(), 1u);
  EXPECT_EQ(desired.tasks[0].gpu, 0);
}

}  // namespace
}  // namespace gp
