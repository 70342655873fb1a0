#include "domain/cluster/nodes/drain_end.h"

#include <gtest/gtest.h>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

class DrainEnds : public testing::Test {
 protected:
  DrainEnds() : node_(cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0, 1, 1}))) {}

  const Node& node() const { return *cluster_.state().FindNode(node_); }
  DrainEnd End() const { return EndOfDrain(cluster_.state(), node()); }

  JobId Start(Duration time_limit) {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = 1;
    spec.policy.time_limit = time_limit;
    spec.policy.grace = Duration::Seconds(30);
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
    cluster_.Pass();
    return JobId{cluster_.state().jobs.last};
  }

  void Drain(Duration deadline = {}) {
    ChangeService drain{node_, -1, ServiceAction::kDrain, false, "ana: cables"};
    drain.deadline = deadline;
    ASSERT_TRUE(cluster_.Execute(drain));
  }

  TestCluster cluster_;
  NodeId node_;
};

TEST_F(DrainEnds, AtOnceWhereNobodyIs) {
  Drain();
  EXPECT_EQ(End().at.ns, 0);
  EXPECT_EQ(End().jobs, 0);
}

TEST_F(DrainEnds, WhenTheLastJobHasReachedItsTimeLimitAndHadItsGrace) {
  Start(Duration::Minutes(10));
  cluster_.Advance(Duration::Minutes(5));
  const Instant second = cluster_.now();
  Start(Duration::Minutes(60));
  Drain();
  EXPECT_EQ(End().jobs, 2);
  EXPECT_EQ(End().at, second + Duration::Minutes(60) + Duration::Seconds(30) + kEndMargin);
  EXPECT_TRUE(End().endless.empty());
}

TEST_F(DrainEnds, ItsReasonStaysWhileTheGpuDoesNotAnswer) {
  Start(Duration::Minutes(10));  // GPU 0 is held, and drains
  Drain();
  ASSERT_EQ(node().gpus[0].reason, "ana: cables");
  ASSERT_TRUE(cluster_.Execute(ExpireHeartbeat{node_}));
  ASSERT_EQ(node().gpus[0].condition, GpuCondition::kLost);
  EXPECT_EQ(node().gpus[0].reason, "ana: cables");
}

TEST_F(DrainEnds, NobodyKnowsWhereAJobHasNoTimeLimit) {
  Start(Duration::Minutes(10));
  const JobId endless = Start({});
  Drain();
  EXPECT_EQ(End().at, kNever);
  EXPECT_EQ(End().endless, std::vector<JobId>{endless});
}

TEST_F(DrainEnds, ADeadlineEndsAllThatWouldBeThereLonger) {
  Start({});
  Start(Duration::Minutes(60));
  Drain(Duration::Minutes(20));
  EXPECT_EQ(End().at, cluster_.now() + Duration::Minutes(20) + Duration::Seconds(30) + kEndMargin);
  EXPECT_TRUE(End().endless.empty());
}

TEST_F(DrainEnds, ANodeKnowsSinceWhenItDrains) {
  EXPECT_EQ(node().drained_at.ns, 0);
  cluster_.Advance(Duration::Minutes(3));
  const Instant drained = cluster_.now();
  Drain();
  cluster_.Advance(Duration::Minutes(3));
  EXPECT_EQ(node().drained_at, drained);
  EXPECT_TRUE(cluster_.ReplayAgrees());
  ASSERT_TRUE(cluster_.Execute(ChangeService{node_, -1, ServiceAction::kOnline, false, ""}));
  EXPECT_EQ(node().drained_at.ns, 0);
  EXPECT_TRUE(cluster_.ReplayAgrees());
}

}  // namespace
}  // namespace gp
