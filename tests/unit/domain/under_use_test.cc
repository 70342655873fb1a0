#include "domain/cluster/under_use.h"

#include <gtest/gtest.h>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr Instant kCountedSince{1'000};

RankUse ToldOf(int64_t seen_ms, int64_t busy_ms) {
  return {
      kCountedSince, {{0, seen_ms, busy_ms, 10}, {1, seen_ms, busy_ms, 10}}, seen_ms, seen_ms, 100};
}

Lease Idle(int64_t seen_ms, int64_t idle_ms) {
  Lease lease;
  lease.gpus = {{.gpu = 0}, {.gpu = 1}};
  lease.use = lease.reported = ToldOf(seen_ms, 0);
  lease.idle_ms = idle_ms;
  return lease;
}

TEST(UnderUse, IdleTimeIsOfAGpuAndGrowsWithWhatWasSeen) {
  EXPECT_EQ(IdleMs(Idle(0, 0), ToldOf(10'000, 0), 5), 10'000);
  EXPECT_EQ(IdleMs(Idle(10'000, 10'000), ToldOf(15'000, 249), 5), 15'000);
  EXPECT_EQ(IdleMs(Idle(10'000, 10'000), ToldOf(15'000, 250), 5), 0)
      << "as busy as the rule asks for";
  EXPECT_EQ(IdleMs(Idle(10'000, 10'000), ToldOf(15'000, 0), 0), 0) << "a rule that is off";
}

TEST(UnderUse, ATimeOfWhichNothingIsKnownChangesNothing) {
  RankUse cores = ToldOf(10'000, 0);
  cores.cpu_seen_ms += 60'000;
  EXPECT_EQ(IdleMs(Idle(10'000, 7'000), cores, 5), 7'000);
}

TEST(UnderUse, EachClassHasItsRule) {
  UnderUsePolicy policy;
  JobSpec spec;
  for (const auto& [priority, rule] : {std::pair(0, &policy.low),
                                       {333, &policy.low},
                                       {334, &policy.medium},
                                       {667, &policy.medium},
                                       {668, &policy.high},
                                       {1'000, &policy.high}}) {
    spec.policy.priority = priority;
    EXPECT_EQ(&RuleOf(policy, spec), rule) << priority;
  }
  spec.program.interactive = true;
  EXPECT_EQ(&RuleOf(policy, spec), &policy.interactive);
}

// Of a node in its maintenance a person knows.
TEST(Maintenance, ANodeThatFallsSilentMeanwhileHasNotFailed) {
  TestCluster cluster;
  const NodeId in = cluster.AddNode(TestCluster::MakeFacts("n1", {0}));
  const NodeId out = cluster.AddNode(TestCluster::MakeFacts("n2", {0}));
  ReserveNodes reserve;
  reserve.reservation.name = "fw";
  reserve.reservation.nodes = {in};
  reserve.reservation.starts_at = cluster.now() + Duration::Minutes(1);
  reserve.reservation.ends_at = cluster.now() + Duration::Minutes(60);
  reserve.reservation.maintenance = true;
  ASSERT_TRUE(cluster.Execute(reserve));
  cluster.Advance(Duration::Minutes(2));
  for (const NodeId node : {in, out}) ASSERT_TRUE(cluster.Execute(ExpireHeartbeat{node}));
  EXPECT_TRUE(cluster.state().FindNode(in)->failures.empty());
  EXPECT_EQ(cluster.state().FindNode(out)->failures.size(), 1U);
  EXPECT_TRUE(cluster.ReplayAgrees());
}

}  // namespace
}  // namespace gp
