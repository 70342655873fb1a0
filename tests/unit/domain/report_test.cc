// Reports as a careless or hostile agent might send them: the controller takes what makes sense.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/cluster/next_deadline.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

class Report : public testing::Test {
 protected:
  Report() : node_(cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0}))) {}

  Result<std::vector<Event>> Tell(const std::vector<GpuObservation>& gpus,
                                  const std::vector<LeaseObservation>& leases = {}) {
    return cluster_.Execute(ReportNode{node_, 1, leases, gpus});
  }
  GpuCondition Condition(size_t gpu) const {
    return cluster_.state().nodes.all[0].gpus[gpu].condition;
  }
  void TearDown() override {
    EXPECT_THAT(cluster_.broken(), testing::IsEmpty());
    EXPECT_TRUE(cluster_.ReplayAgrees());
  }

  TestCluster cluster_;
  NodeId node_;
};

TEST_F(Report, AGpuNamedTwiceCountsOnce) {
  ASSERT_TRUE(
      Tell({{0, false, false, "a"}, {0, false, false, "b"}, {0, true, false, "c"}}).has_value());
  EXPECT_EQ(Condition(0), GpuCondition::kSuspect);
  EXPECT_EQ(cluster_.state().nodes.all[0].gpus[0].reason, "a");
}

TEST_F(Report, GpusThatAreNotThereAreIgnored) {
  EXPECT_THAT(*Tell({{-1, false, true, ""}, {2, false, true, ""}, {1 << 30, true, false, ""}}),
              testing::IsEmpty());
}

TEST_F(Report, LeasesThatAreNotThereAreIgnored) {
  LeaseObservation stranger;
  stranger.lease = {99};
  stranger.ended = true;
  EXPECT_THAT(*Tell({}, {stranger, stranger}), testing::IsEmpty());
}

TEST_F(Report, ALeaseNamedTwiceEndsOnce) {
  JobSpec spec;
  spec.program.command = {"run"};
  ASSERT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}})
                  .has_value());
  cluster_.Pass();
  LeaseObservation ended;
  ended.lease = {1};
  ended.ended = true;
  ended.started_at = cluster_.now();
  EXPECT_EQ(Tell({}, {ended, ended})->size(),
            4u);  // started twice over, ended twice over: once each
  EXPECT_EQ(cluster_.state().FindJob({1})->state, JobState::kCompleted);
}

TEST_F(Report, DrainingAndSickAtOnce) {
  ASSERT_TRUE(Tell({{0, false, true, "gone"}}).has_value());
  ASSERT_TRUE(
      cluster_.Execute(ChangeService{node_, -1, ServiceAction::kDrain, false, "test"}).has_value());
  ASSERT_TRUE(Tell({{0, false, false, "sick"}}).has_value());
  EXPECT_EQ(Condition(0), GpuCondition::kOffline);
  EXPECT_EQ(Condition(1), GpuCondition::kOffline);
}

TEST_F(Report, OtherHardwareIsTakenInAndWhatIsHeldStays) {
  JobSpec spec;
  spec.program.command = {"run"};
  ASSERT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}})
                  .has_value());
  cluster_.Pass();
  NodeFacts less = TestCluster::MakeFacts("n1", {0});
  NodeFacts moved = TestCluster::MakeFacts("n1", {0, 0});
  moved.numa[0].cpus.Remove(0);
  for (const NodeFacts& other : {less, moved}) {
    const JoinNode join{std::make_shared<const NodeFacts>(other), 2, false, {}};
    const auto joined = cluster_.Execute(join);
    ASSERT_TRUE(joined) << joined.error().message;
    EXPECT_EQ(cluster_.state().leases.all.size(), 1u);
    EXPECT_EQ(cluster_.state().nodes.all[0].facts->gpus.size(), 2u);
  }
  EXPECT_TRUE(cluster_.broken().empty());
}

TEST_F(Report, OfNodesUnknownOrStaleIsRefused) {
  EXPECT_EQ(cluster_.Execute(ReportNode{{5}, 1, {}, {}}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(cluster_.Execute(ReportNode{node_, 2, {}, {}}).error().code, ErrorCode::kConflict);
  EXPECT_EQ(cluster_.Execute(ExpireHeartbeat{{5}}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(cluster_.Execute(DeclareNodeLost{{5}, ""}).error().code, ErrorCode::kNotFound);
}

TEST_F(Report, SilenceIsHeardOnce) {
  EXPECT_FALSE(cluster_.Execute(ExpireHeartbeat{node_})->empty());
  EXPECT_TRUE(cluster_.Execute(ExpireHeartbeat{node_})->empty());
}

TEST_F(Report, ANewPolicyMovesTheDeadlineOfALoss) {
  ASSERT_TRUE(cluster_.Execute(ExpireHeartbeat{node_}).has_value());
  const Instant before = NextDeadline(cluster_.state());
  Policy policy;
  policy.lease_end_time = Duration::Seconds(60);
  ASSERT_TRUE(cluster_.Execute(StartController{policy}).has_value());
  EXPECT_EQ(NextDeadline(cluster_.state()), before + (policy.lease_end_time - kLeaseEndTime));
  ASSERT_TRUE(Tell({}).has_value());
  EXPECT_EQ(NextDeadline(cluster_.state()), Instant{0});
}

TEST_F(Report, ANodeOfAnotherJournalMayNotJoinBeforeItForgot) {
  ASSERT_TRUE(cluster_.Execute(StartController{cluster_.state().policy, 77}).has_value());
  ASSERT_TRUE(cluster_.Execute(StartController{cluster_.state().policy}).has_value());
  EXPECT_EQ(cluster_.state().lineage, 77u);
  JoinNode join{cluster_.state().nodes.all[0].facts, 2, false, {}, 76};
  EXPECT_EQ(cluster_.Execute(join).error().code, ErrorCode::kConflict);
  join.lineage = 0;  // from before lineages were kept: it cannot know whose its attempts are
  EXPECT_EQ(cluster_.Execute(join).error().code, ErrorCode::kConflict);
  join.fresh = true;
  EXPECT_TRUE(cluster_.Execute(join).has_value());
  join.lineage = 77;
  join.fresh = false;
  EXPECT_TRUE(cluster_.Execute(join).has_value());
}

TEST_F(Report, APolicyWithoutLeaseTimesIsRefused) {
  for (const int which : {0, 1}) {
    Policy policy;
    (which == 0 ? policy.lease_time : policy.lease_end_time) = Duration{0};
    EXPECT_EQ(cluster_.Execute(StartController{policy}).error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace gp
