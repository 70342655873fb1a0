#include "application/control/heartbeats.h"

#include <gtest/gtest.h>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 100 * kSecond;

TEST(HeartbeatEvery, IsShortAndLongerWithManyNodesAndSeveralPerLease) {
  EXPECT_EQ(HeartbeatEvery(Duration::Seconds(10), 100), Duration::Seconds(1));
  EXPECT_EQ(HeartbeatEvery(Duration::Seconds(60), 5'000), Duration::Seconds(1));
  EXPECT_EQ(HeartbeatEvery(Duration::Seconds(2), 100), Duration::Milliseconds(200));
  EXPECT_EQ(HeartbeatEvery(Duration::Seconds(10), 10'000), Duration::Seconds(2));
  EXPECT_EQ(HeartbeatEvery(Duration::Seconds(10), 100'000), Duration::Milliseconds(2'500));
}

class HeartbeatsTest : public testing::Test {
 protected:
  HeartbeatsTest() {
    for (const uint32_t id : {0U, 1U}) {
      Node node;
      node.id = {id};
      node.facts =
          std::make_shared<const NodeFacts>(TestCluster::MakeFacts("n" + std::to_string(id), {0}));
      state_.nodes.all.push_back(node);
    }
    state_.policy.lease_time = Duration::Seconds(10);
    heartbeats_.Begin(state_, kStart);
  }
  std::vector<NodeId> SilentAt(int64_t after_s, bool listens = true) {
    if (listens) heartbeats_.Listened(kStart + after_s * kSecond);
    return heartbeats_.TakeSilent(state_, kStart + after_s * kSecond);
  }

  State state_;
  Heartbeats heartbeats_{Duration::Seconds(15)};
  const NodeId first_{0};
  const NodeId second_{1};
};

TEST_F(HeartbeatsTest, ANodeIsSilentAfterALeaseTime) {
  EXPECT_TRUE(heartbeats_.Renew(first_, kStart + 5 * kSecond));
  EXPECT_TRUE(SilentAt(10).empty());
  EXPECT_EQ(SilentAt(11), std::vector<NodeId>{second_});
  heartbeats_.Hear(first_, kStart + 12 * kSecond);
  EXPECT_EQ(SilentAt(16), std::vector<NodeId>{second_}) << "the writer has not decided it yet";
}

TEST_F(HeartbeatsTest, ALostNodeIsNotRenewedUntilItsReturnIsDurable) {
  SilentAt(11);
  EXPECT_FALSE(heartbeats_.Renew(first_, kStart + 11 * kSecond));
  heartbeats_.Hear(first_, kStart + 11 * kSecond);  // its report waits for the writer
  EXPECT_FALSE(heartbeats_.Renew(first_, kStart + 12 * kSecond));
  heartbeats_.OnCommit({NodeReturned{first_}});
  EXPECT_TRUE(heartbeats_.Renew(first_, kStart + 12 * kSecond));
  EXPECT_FALSE(heartbeats_.Renew(second_, kStart + 12 * kSecond));
  heartbeats_.OnCommit({NodeJoined{.node = second_}});
  EXPECT_TRUE(heartbeats_.Renew(second_, kStart + 12 * kSecond));
}

TEST_F(HeartbeatsTest, OfALossAndAReturnInOneBatchTheLastCounts) {
  heartbeats_.OnCommit({NodeReturned{first_}, NodeLost{first_}});
  EXPECT_FALSE(heartbeats_.Renew(first_, kStart));
  heartbeats_.OnCommit({NodeLost{second_}, NodeReturned{second_}});
  EXPECT_TRUE(heartbeats_.Renew(second_, kStart));
}

TEST_F(HeartbeatsTest, ANodeThatWasLostBeforeTheControllerBeganMustReport) {
  state_.nodes.all[0].condition = NodeCondition::kLost;
  Heartbeats later(Duration::Seconds(100));
  later.Begin(state_, kStart);
  EXPECT_FALSE(later.Renew(first_, kStart));
  EXPECT_TRUE(later.Renew(second_, kStart));
}

TEST_F(HeartbeatsTest, TimeInWhichNobodyListenedIsNoSilence) {
  EXPECT_TRUE(SilentAt(1).empty());
  EXPECT_TRUE(SilentAt(201).empty());
  EXPECT_EQ(heartbeats_.TakeForgiven(), Duration::Seconds(200));
  EXPECT_EQ(heartbeats_.TakeForgiven(), Duration{});
  EXPECT_TRUE(SilentAt(210).empty());
  EXPECT_EQ(SilentAt(212).size(), 2U);
  EXPECT_EQ(heartbeats_.TakeForgiven(), Duration{});
}

// The writer goes on, while messages wait to be read.
TEST_F(HeartbeatsTest, NobodyIsSilentWhileMessagesWaitUnread) {
  EXPECT_TRUE(SilentAt(1).empty());
  EXPECT_TRUE(SilentAt(500, false).empty());
  EXPECT_EQ(heartbeats_.DeafFor(kStart + 500 * kSecond), Duration::Seconds(499));
  EXPECT_TRUE(heartbeats_.Renew(first_, kStart + 501 * kSecond)) << "the first one that is read";
  EXPECT_TRUE(SilentAt(502).empty());
  EXPECT_EQ(heartbeats_.DeafFor(kStart + 503 * kSecond), Duration{});
  EXPECT_EQ(SilentAt(512), std::vector<NodeId>{second_});
}

TEST_F(HeartbeatsTest, AShortPauseOfTheListenerIsNoExcuse) {
  EXPECT_TRUE(SilentAt(10).empty());
  EXPECT_TRUE(SilentAt(11, false).empty()) << "not yet";
  EXPECT_EQ(SilentAt(12).size(), 2U);
}

}  // namespace
}  // namespace gp
