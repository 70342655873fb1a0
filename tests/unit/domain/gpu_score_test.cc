#include "domain/placement/gpu_score.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "domain/placement/choose_gpus.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

// Eight GPUs on four NUMA nodes of two sockets; links as given, else everywhere.
Node ScoredNode(const std::vector<int>& numa,
                const std::vector<std::pair<int, int>>& unlinked = {}) {
  NodeFacts facts = TestCluster::MakeFacts("n", numa);
  for (const auto& [a, b] : unlinked) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
      facts.links[static_cast<size_t>(from) * numa.size() + static_cast<size_t>(to)] = 0;
  }
  Node node;
  node.facts = std::make_shared<const NodeFacts>(facts);
  node.gpus.resize(numa.size());
  node.numa.resize(facts.numa.size());
  return Ideal(node);
}

std::vector<int> MembersOf(GpuMask gpus) {
  std::vector<int> members;
  for (; gpus != 0; gpus &= gpus - 1) members.push_back(std::countr_zero(gpus));
  return members;
}

// For each of the 255 sets: one NUMA node, one socket or several, as counted by hand.
TEST(GpuScorerTest, LocalityIsThatOfAllGpusOfTheSet) {
  const Node node = ScoredNode({0, 0, 1, 1, 2, 2, 3, 3});
  const JobSpec spec;
  const GpuScorer scorer(node, spec, 0xff, {});
  for (GpuMask set = 1; set < 256; ++set) {
    std::set<int> numa, sockets;
    for (const int gpu : MembersOf(set)) {
      const int on = node.facts->gpus[static_cast<size_t>(gpu)].numa;
      numa.insert(on);
      sockets.insert(node.facts->numa[static_cast<size_t>(on)].package);
    }
    const Locality expected = numa.size() == 1      ? Locality::kSameNuma
                              : sockets.size() == 1 ? Locality::kSameSocket
                                                    : Locality::kCrossSocket;
    EXPECT_EQ(scorer.LocalityOf(set), expected) << set;
  }
}

TEST(GpuScorerTest, PairsAreCountedOnce) {
  const Node node = ScoredNode({0, 0, 0, 0}, {{0, 3}, {1, 2}});
  const JobSpec spec;
  const GpuScorer scorer(node, spec, 0xf, {});
  EXPECT_EQ(scorer.UnlinkedPairs(0b0001), 0);
  EXPECT_EQ(scorer.UnlinkedPairs(0b1001), 1);
  EXPECT_EQ(scorer.UnlinkedPairs(0b0011), 0);
  EXPECT_EQ(scorer.UnlinkedPairs(0b0111), 1);
  EXPECT_EQ(scorer.UnlinkedPairs(0b1111), 2);
  EXPECT_EQ(scorer.Links(0b0001), 0);
  EXPECT_EQ(scorer.Links(0b0011), 18);
  EXPECT_EQ(scorer.Links(0b1111), 4 * 18);
}

TEST(GpuScorerTest, ATopologyRequestAllowsOnlyWhatItAsksFor) {
  const Node node = ScoredNode({0, 0, 1, 1}, {{0, 1}});
  const auto allowed = [&](TopologyLevel require, bool crosses, GpuMask set) {
    JobSpec spec;
    spec.placement.topology.require = require;
    spec.placement.topology.allow_cross_numa = crosses;
    return GpuScorer(node, spec, 0xf, {}).Allowed(set);
  };
  EXPECT_TRUE(allowed(TopologyLevel::kNone, true, 0b0110));
  EXPECT_FALSE(allowed(TopologyLevel::kNone, false, 0b0110));
  EXPECT_FALSE(allowed(TopologyLevel::kSameNuma, true, 0b0110));
  EXPECT_TRUE(allowed(TopologyLevel::kSameNuma, true, 0b0011));
  EXPECT_FALSE(allowed(TopologyLevel::kNvlink, true, 0b0011)) << "that pair has no link";
  EXPECT_TRUE(allowed(TopologyLevel::kNvlink, true, 0b0110));
  EXPECT_TRUE(allowed(TopologyLevel::kNvlink, true, 0b0001)) << "one GPU needs none";
}

// A block of 2^s free GPUs starts at a multiple of 2^s, in order of locality.
TEST(GpuScorerTest, BlocksThatASetBreaksAreCountedBySize) {
  const Node node = ScoredNode({0, 0, 0, 0, 1, 1, 1, 1});
  const JobSpec spec;
  const auto lost = [&](GpuMask free, GpuMask set) {
    const BlockCounts blocks = GpuScorer(node, spec, free, {}).Score(set).blocks_lost;
    return std::vector<int>{blocks[3], blocks[4], blocks[5], blocks[6]};  // of 8, 4, 2, 1
  };
  EXPECT_EQ(lost(0xff, 0b0000'0001), (std::vector<int>{1, 1, 1, 1}));
  EXPECT_EQ(lost(0xff, 0b0000'0011), (std::vector<int>{1, 1, 1, 2}));
  EXPECT_EQ(lost(0xff, 0b0000'0110), (std::vector<int>{1, 1, 2, 2})) << "halves of two pairs";
  EXPECT_EQ(lost(0xff, 0b0000'1111), (std::vector<int>{1, 1, 2, 4}));
  EXPECT_EQ(lost(0xff, 0b1111'1111), (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(lost(0xfe, 0b0000'0010), (std::vector<int>{0, 0, 0, 1})) << "it stood alone";
  EXPECT_EQ(lost(0xf0, 0b0000'0001), (std::vector<int>{0, 0, 0, 0})) << "it was not free";
}

TEST(GpuScorerTest, BlocksFollowTheNumaNodesAndNotTheNumbers) {
  // Even ones on one NUMA node, odd ones on the other: 0 and 2 are neighbours.
  const Node node = ScoredNode({0, 1, 0, 1, 0, 1, 0, 1});
  const JobSpec spec;
  const GpuScorer scorer(node, spec, 0xff, {});
  EXPECT_LT(scorer.Score(0b0000'0101), scorer.Score(0b0000'0011));
  EXPECT_LT(scorer.Score(0b0000'0101).blocks_lost, scorer.Score(0b0001'0100).blocks_lost)
      << "of one NUMA node both, but halves of two pairs";
}

// Of every set of free GPUs and every size: the one that is chosen scores least of all.
TEST(GpuScorerTest, TheChosenSetScoresLeast) {
  const Node whole = ScoredNode({0, 0, 1, 1, 2, 2, 3, 3}, {{0, 1}, {2, 5}, {6, 7}});
  for (GpuMask free = 1; free < 256; free += 3) {
    Node node = whole;
    for (int gpu = 0; gpu < 8; ++gpu) {
      if ((free >> gpu & 1) == 0)
        node.gpus[static_cast<size_t>(gpu)].condition = GpuCondition::kOffline;
    }
    for (int count = 1; count <= 4; ++count) {
      JobSpec spec;
      spec.resources.gpus.count = count;
      Job job;
      job.spec = std::make_shared<const JobSpec>(spec);
      const auto choice = ChooseGpus(node, job, {});
      EXPECT_EQ(choice.has_value(), std::popcount(free) >= count);
      if (!choice) continue;
      const GpuScorer scorer(node, spec, free, {});
      int compared = 0;
      for (GpuMask set = 1; set < 256; ++set) {
        if (std::popcount(set) != count || (set & ~free) != 0) continue;
        ++compared;
        EXPECT_LE(choice->score, scorer.Score(set)) << free << " " << set;
      }
      EXPECT_EQ(choice->alternatives, compared);
      EXPECT_EQ(static_cast<int>(choice->placement.gpus.size()), count);
    }
  }
}

}  // namespace
}  // namespace gp
