#include "application/replication/lead/store_leadership.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/unit/application/replication/faulty_store.h"

namespace gp {
namespace {

class StoreLeadershipTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(key.TryTake(), Result<bool>(true)); }

  FaultyStore store;
  LeaderKey key{store, StoreKeys("test"), "first", Duration::Seconds(2)};
  std::promise<void> deposed;
};

TEST_F(StoreLeadershipTest, ALeaderIsProven) {
  StoreLeadership leadership(key, [this] { deposed.set_value(); });
  EXPECT_TRUE(leadership.Await());
  std::promise<void> proven;
  leadership.WhenProven([&] { proven.set_value(); });
  proven.get_future().wait();
}

TEST_F(StoreLeadershipTest, OneProofServesAllWhoAreNotInAHurry) {
  std::promise<void> proven;
  int reads = 0;
  int served = 0;
  store.before_each_read = [&] { ++reads; };
  {
    StoreLeadership leadership(key, [] {});
    for (int i = 0; i < 1'000; ++i) leadership.WhenProvenSoon([&] { ++served; });
    leadership.WhenProvenSoon([&] { proven.set_value(); });
    proven.get_future().wait();
  }
  EXPECT_EQ(served, 1'000);
  // All came before the first one's tenth of a second was over, unless this machine is very slow.
  EXPECT_LE(reads, 3);
}

TEST_F(StoreLeadershipTest, WhoIsInAHurryTakesTheOthersAlong) {
  // Longer than Await waits.
  StoreLeadership leadership(key, [] {}, std::chrono::minutes(10));
  bool is_served = false;
  leadership.WhenProvenSoon([&] { is_served = true; });
  EXPECT_TRUE(leadership.Await());
  EXPECT_TRUE(is_served);
}

TEST_F(StoreLeadershipTest, ADeposedLeaderProvesNothing) {
  const LeaderKey old = key;
  key.Resign();
  bool is_proven = false;
  {
    StoreLeadership leadership(old, [this] { deposed.set_value(); });
    leadership.WhenProven([&] { is_proven = true; });
    deposed.get_future().wait();
  }
  EXPECT_FALSE(is_proven);
}

TEST_F(StoreLeadershipTest, WhatWaitsAtItsEndIsNeverProven) {
  store.reads_fail = true;
  bool is_proven = false;
  {
    StoreLeadership leadership(key, [] {});
    leadership.WhenProven([&] { is_proven = true; });
  }
  EXPECT_FALSE(is_proven);
}

}  // namespace
}  // namespace gp
