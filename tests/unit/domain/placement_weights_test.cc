#include "domain/model/nodes/placement_weights.h"

#include <gtest/gtest.h>

#include "domain/placement/choose_gpus.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

Node EmptyNode(const std::vector<int>& numa) {
  Node node;
  node.facts = std::make_shared<const NodeFacts>(TestCluster::MakeFacts("n", numa));
  node.gpus.resize(numa.size());
  node.numa.resize(node.facts->numa.size());
  for (Gpu& gpu : node.gpus) gpu.condition = GpuCondition::kAvailable;
  return node;
}

Job JobOf(int gpus) {
  JobSpec spec;
  spec.resources.gpus.count = gpus;
  Job job;
  job.spec = std::make_shared<const JobSpec>(spec);
  return job;
}

int64_t CostOf(const Node& node, const Job& job, const PlacementWeights& weights) {
  const auto choice = ChooseGpus(node, job, weights);
  EXPECT_TRUE(choice);
  return choice ? choice->score.weighted : -1;
}

TEST(PlacementWeights, OwnOnesComeBeforeThoseOfEveryPool) {
  const WeightsByPool weights{{"web", {.spread = 2}}, {kEveryPool, {.numa = 3}}};
  EXPECT_EQ(WeightsOf(weights, "web"), (PlacementWeights{.spread = 2}));
  EXPECT_EQ(WeightsOf(weights, "default"), (PlacementWeights{.numa = 3}));
  EXPECT_EQ(WeightsOf({{"web", {.spread = 2}}}, "default"), PlacementWeights{});
}

TEST(PlacementWeights, EachCostByItself) {
  Node node = EmptyNode({0, 0, 0, 0, 1, 1, 1, 1});
  EXPECT_EQ(CostOf(node, JobOf(1), {}), 0);
  EXPECT_EQ(CostOf(node, JobOf(2), {.numa = 7}), 0);
  EXPECT_EQ(CostOf(node, JobOf(5), {.numa = 7}), 14) << "two sockets";
  EXPECT_EQ(CostOf(node, JobOf(2), {.best_fit = 1}), 8);
  EXPECT_EQ(CostOf(node, JobOf(2), {.nvlink = 5}), 0);
  EXPECT_EQ(CostOf(node, JobOf(2), {.spread = 1}), 0);
  EXPECT_EQ(CostOf(node, JobOf(1), {.fragmentation = 1}), 1 + 3 + 7)
      << "free GPUs that are in no block of 2, 4 and 8";
  EXPECT_EQ(CostOf(node, JobOf(4), {.fragmentation = 1}), 4) << "those of the block of 8";
  EXPECT_EQ(CostOf(node, JobOf(8), {.fragmentation = 1}), 0);
  EXPECT_EQ(CostOf(node, JobOf(1), {.model_fit = 1}), node.facts->gpus[0].memory_mib / 1024);
  node.gpus[0].leases = {LeaseId{1}};
  node.gpus[0].mode = GpuMode::kWhole;
  EXPECT_EQ(CostOf(node, JobOf(1), {.spread = 3}), 3);
  EXPECT_EQ(CostOf(node, JobOf(1), {.fragmentation = 1}), -3)
      << "the one that is left over of a pair, of four and of eight";
}

}  // namespace
}  // namespace gp
