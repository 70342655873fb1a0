// When an attempt has started, by what its node says of it.

#include <gtest/gtest.h>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr Duration kHour = Duration::Minutes(60);

class StartOfAnAttempt : public testing::Test {
 protected:
  StartOfAnAttempt() {
    node_ = cluster_.AddNode(TestCluster::MakeFacts("n1", {0}));
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = 1;
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
    cluster_.Pass();
    placed_at_ = cluster_.now();
    // It started, and its node could not say so for an hour.
    cluster_.Advance(kHour);
  }

  // The instant at which its node says by this that it started.
  Instant Told(Instant started_at, Duration ran) {
    LeaseObservation seen;
    seen.lease = cluster_.state().jobs.all.begin()->second.leases.front();
    seen.running = true;
    seen.started_at = started_at;
    seen.ran = ran;
    const auto events = cluster_.Execute(ReportNode{node_, 1, {seen}, {}});
    EXPECT_TRUE(events);
    const auto* started = events ? std::get_if<LeaseStarted>(&events->front()) : nullptr;
    EXPECT_NE(started, nullptr);
    return started == nullptr ? Instant{} : started->started_at;
  }

  TestCluster cluster_;
  NodeId node_;
  Instant placed_at_;
};

TEST_F(StartOfAnAttempt, IsKnownByTheNodesBootClockWhateverItsWallClockSays) {
  EXPECT_EQ(Told(cluster_.now() + kHour * 10'000, Duration::Minutes(59)),
            placed_at_ + Duration::Minutes(1));
}

TEST_F(StartOfAnAttempt, ByTheWallClockAloneIsAsItSays) {
  EXPECT_EQ(Told(placed_at_ + Duration::Minutes(5), {}), placed_at_ + Duration::Minutes(5));
}

TEST_F(StartOfAnAttempt, ByTheWallClockAloneIsNotBeforeThePlacement) {
  EXPECT_EQ(Told(placed_at_ - kHour, {}), placed_at_);
}

TEST_F(StartOfAnAttempt, ByTheWallClockAloneIsNotInTheFuture) {
  EXPECT_EQ(Told(cluster_.now() + kHour, {}), cluster_.now());
}

}  // namespace
}  // namespace gp
