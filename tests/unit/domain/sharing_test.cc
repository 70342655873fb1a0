// Fractions right to the unit.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

class Sharing : public testing::Test {
 protected:
  void SubmitShared(int count, int share, int64_t memory_mib, const std::string& user = "ana") {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.isolation = Isolation::kTimeslice;
    spec.resources.gpus.share_thousandths = share;
    spec.resources.gpus.memory_mib = memory_mib;
    spec.resources.memory_bytes = 1 << 20;
    const auto shared = std::make_shared<const JobSpec>(spec);
    for (int i = 0; i < count; ++i)
      ASSERT_TRUE(cluster_.Execute(SubmitJob{shared, {user, 1, 1}}).has_value());
  }
  int64_t Count(JobState state) const {
    return std::ranges::count_if(cluster_.state().jobs.all,
                                 [state](const auto& job) { return job.second.state == state; });
  }
  const Gpu& GpuAt(size_t gpu) const { return cluster_.state().nodes.all[0].gpus[gpu]; }

  TestCluster cluster_;
};

TEST_F(Sharing, SixteenHalvesFillEightGpusAndTheSeventeenthWaits) {
  cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0, 0, 0, 1, 1, 1, 1}));
  SubmitShared(17, 500, 0);
  cluster_.Pass();
  EXPECT_EQ(Count(JobState::kStarting), 16);
  EXPECT_EQ(Count(JobState::kQueued), 1);
  for (size_t gpu = 0; gpu < 8; ++gpu) {
    EXPECT_EQ(GpuAt(gpu).share_granted, 1000);
    EXPECT_EQ(GpuAt(gpu).leases.size(), 2u);
  }
  LeaseObservation ended;
  ended.lease = GpuAt(3).leases[0];
  ended.ended = true;
  ASSERT_TRUE(cluster_.Execute(ReportNode{{0}, 1, {ended}, {}}).has_value());
  cluster_.Pass();
  EXPECT_EQ(Count(JobState::kStarting), 16);
  EXPECT_EQ(Count(JobState::kQueued), 0);
  EXPECT_TRUE(cluster_.broken().empty());
}

TEST_F(Sharing, TwentyThreeTimes2000MibFitInto46068) {
  cluster_.AddNode(TestCluster::MakeFacts("n1", {0}, 0, 46'068));
  SubmitShared(24, 1000, 2'000);
  cluster_.Pass();
  EXPECT_EQ(Count(JobState::kStarting), 23);
  EXPECT_EQ(GpuAt(0).memory_granted_mib, 46'000);
  EXPECT_EQ(GpuAt(0).share_granted, 0);
  SubmitShared(1, 1000, 69);
  SubmitShared(1, 1000, 68);
  cluster_.Pass();
  EXPECT_EQ(GpuAt(0).memory_granted_mib, 46'068);
  EXPECT_EQ(Count(JobState::kQueued), 2);
  EXPECT_TRUE(cluster_.broken().empty());
}

TEST_F(Sharing, AThirdThreeTimesLeavesOneThousandth) {
  cluster_.AddNode(TestCluster::MakeFacts("n1", {0}));
  SubmitShared(4, 333, 0);
  cluster_.Pass();
  EXPECT_EQ(GpuAt(0).share_granted, 999);
  SubmitShared(2, 1, 1);
  cluster_.Pass();
  EXPECT_EQ(GpuAt(0).share_granted, 1000);
  EXPECT_EQ(Count(JobState::kQueued), 2);
}

TEST_F(Sharing, SharesAreSummedByUser) {
  cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0}));
  SubmitShared(2, 250, 0);
  SubmitShared(1, 100, 0, "ben");
  cluster_.Pass();
  EXPECT_EQ(cluster_.state().queues.accounts.at({"default", "ana"}).held.share, 500);
  EXPECT_EQ(cluster_.state().queues.accounts.at({"default", "ben"}).held.share, 100);
  EXPECT_EQ(cluster_.state().queues.accounts.at({"default", ""}).held.share, 600);
}

TEST_F(Sharing, AsManyClientsAsAnMpsServerTakes) {
  NodeFacts facts = TestCluster::MakeFacts("n1", {0, 0});
  for (GpuFacts& gpu : facts.gpus) gpu.mps = true;
  cluster_.AddNode(facts);
  JobSpec spec;
  spec.program.command = {"run"};
  spec.resources.gpus.isolation = Isolation::kMps;
  spec.resources.gpus.memory_mib = 1;
  spec.resources.memory_bytes = 1 << 20;
  const auto one = std::make_shared<const JobSpec>(spec);
  for (size_t i = 0; i < kMpsLeasesMax + 1; ++i)
    ASSERT_TRUE(cluster_.Execute(SubmitJob{one, {"ana", 1, 1}}));
  cluster_.Pass();
  EXPECT_EQ(Count(JobState::kStarting), static_cast<int64_t>(kMpsLeasesMax + 1));
  EXPECT_EQ(std::max(GpuAt(0).leases.size(), GpuAt(1).leases.size()), kMpsLeasesMax);
  EXPECT_EQ(std::min(GpuAt(0).leases.size(), GpuAt(1).leases.size()), 1u);
  EXPECT_TRUE(cluster_.broken().empty());
}

TEST_F(Sharing, ANodeMayLearnOrForgetMpsWhileJobsRunOnIt) {
  NodeFacts facts = TestCluster::MakeFacts("n1", {0});
  facts.gpus[0].mps = true;
  cluster_.AddNode(facts);
  SubmitShared(1, 500, 0);
  cluster_.Pass();
  ASSERT_EQ(Count(JobState::kStarting), 1);
  facts.gpus[0].mps = false;
  JoinNode join{std::make_shared<const NodeFacts>(facts), 2, false, {}, 0};
  join.lineage = cluster_.state().lineage;
  const auto joined = cluster_.Execute(join);
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_EQ(GpuAt(0).leases.size(), 1u);
  EXPECT_FALSE(cluster_.state().nodes.all[0].facts->gpus[0].mps);
  facts.gpus[0].memory_mib += 1;
  join.facts = std::make_shared<const NodeFacts>(facts);
  // A driver keeps more or less for itself: it is the same GPU all the same
  ASSERT_TRUE(cluster_.Execute(join));
  EXPECT_EQ(cluster_.state().nodes.all[0].facts->gpus[0].memory_mib, facts.gpus[0].memory_mib - 1)
      << "as long as it is held";
  EXPECT_EQ(GpuAt(0).leases.size(), 1u);
  EXPECT_TRUE(cluster_.broken().empty()) << cluster_.broken().front();
}

}  // namespace
}  // namespace gp
