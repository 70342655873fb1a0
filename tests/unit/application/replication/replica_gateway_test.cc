#include "application/replication/replica_gateway.h"

#include <gtest/gtest.h>

#include "base/ignore_result.h"
#include "tests/unit/application/replication/faulty_store.h"
#include "tests/unit/application/replication/seat.h"

namespace gp {
namespace {

class ReplicaGatewayTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(first.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
    ASSERT_TRUE(first.Lead());
  }
  Replica& replica() { return *second.replica; }
  bool HasQueue(const std::string& name) {
    bool has = false;
    EXPECT_TRUE(gateway.Read([&](const State& state) { has = state.queues.all.contains(name); }));
    return has;
  }

  FaultyStore store;
  Seat first{store, "first"};
  Seat second{store, "second"};
  ReplicaGateway gateway{*second.replica, second.clock};
};

TEST_F(ReplicaGatewayTest, ReadsWhatTheStandbyHas) {
  first.SetQueue("prod");
  EXPECT_FALSE(HasQueue("prod"));
  IgnoreResult(second.Turn(), "the next line shows it");
  EXPECT_TRUE(HasQueue("prod"));
}

TEST_F(ReplicaGatewayTest, TheAgeCountsFromTheQuestionForTheEndOfTheLog) {
  EXPECT_EQ(replica().Age(), std::nullopt);
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  // The store takes its time, and the leader writes on meanwhile: the answer was right when it was
  // asked for, at the earliest.
  store.before_read = [this] { second.clock.Advance(Duration::Milliseconds(300)); };
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_GE(replica().Age(), Duration::Milliseconds(300));
  second.clock.Advance(Duration::Seconds(2));
  EXPECT_GE(replica().Age(), Duration::Milliseconds(2'300));
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(replica().Age(), Duration());
}

TEST_F(ReplicaGatewayTest, WithoutTheStoreTheStateGrowsOld) {
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  store.reads_fail = true;
  second.clock.Advance(Duration::Seconds(3));
  EXPECT_FALSE(second.Turn());
  EXPECT_EQ(replica().Age(), Duration::Seconds(3));
  EXPECT_FALSE(HasQueue("prod"));
}

TEST_F(ReplicaGatewayTest, HasAtLeastWhatTheLogHadWhenItAsked) {
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  first.SetQueue("a");
  // Another record is written between the question for the end and that for the records.
  store.before_read = [this] { store.before_read = [this] { first.SetQueue("b"); }; };
  EXPECT_EQ(replica().CatchUp(), Result<bool>(true));
  EXPECT_TRUE(HasQueue("a"));
  EXPECT_EQ(replica().Age(), Duration());
}

TEST_F(ReplicaGatewayTest, HasTheLeadersTime) {
  for (int i = 0; i < 30; ++i) {
    first.clock.Advance(Duration::Milliseconds(100));
    second.clock.Advance(Duration::Milliseconds(100));
    first.loop->Turn();
    ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  }
  const Duration ahead = gateway.Now() - first.Time();
  EXPECT_LE(ahead, Duration::Milliseconds(200));
  EXPECT_GE(ahead, Duration::Milliseconds(-200));
}

TEST_F(ReplicaGatewayTest, ChangesNothing) {
  SetQueue set;
  set.name = "prod";
  EXPECT_EQ(gateway.Execute("user:root", "", set).status.error().code, ErrorCode::kUnavailable);
  const auto outcomes =
      gateway.ExecuteAll("user:root", {{ClientRequest("a"), set}, {"b", set}}, {});
  ASSERT_EQ(outcomes.size(), 2U);
  for (const Outcome& one : outcomes) EXPECT_FALSE(one.status);
  EXPECT_FALSE(gateway.Post("user:root", set, {}));
  EXPECT_FALSE(gateway.OpenChannel(NodeId{0}, 1));
  EXPECT_FALSE(HasQueue("prod"));
}

TEST_F(ReplicaGatewayTest, HasNoStateOnceTheLeaderHasTakenIt) {
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  const Recovered taken = replica().TakeState();
  EXPECT_EQ(gateway.Read([](const State&) { FAIL(); }).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace gp
