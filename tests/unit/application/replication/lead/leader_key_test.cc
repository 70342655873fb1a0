#include "application/replication/lead/leader_key.h"

#include <gtest/gtest.h>

#include "tests/unit/application/replication/faulty_store.h"

namespace gp {
namespace {

using Fault = FaultyStore::Fault;

class LeaderKeyTest : public testing::Test {
 protected:
  FaultyStore store;
  const StoreKeys keys{"test"};
  LeaderKey first{store, keys, "first", Duration::Seconds(2)};
  LeaderKey second{store, keys, "second", Duration::Seconds(2)};
};

TEST_F(LeaderKeyTest, OneControllerLeads) {
  EXPECT_EQ(first.Owner(), Result<std::string>(""));
  EXPECT_EQ(first.TryTake(), Result<bool>(true));
  EXPECT_EQ(second.TryTake(), Result<bool>(false));
  EXPECT_EQ(second.Owner(), Result<std::string>("first"));
  EXPECT_NE(first.term(), 0u);
  EXPECT_EQ(second.term(), 0u);
  EXPECT_EQ(first.Leads(), Result<bool>(true));
  EXPECT_EQ(first.Keep(), Result<bool>(true));
}

TEST_F(LeaderKeyTest, TheNextTermIsLater) {
  ASSERT_EQ(first.TryTake(), Result<bool>(true));
  const uint64_t term = first.term();
  first.Resign();
  ASSERT_EQ(second.TryTake(), Result<bool>(true));
  EXPECT_GT(second.term(), term);
  EXPECT_EQ(first.term(), 0u);
}

TEST_F(LeaderKeyTest, ATermThatEndedUnnoticedIsNotProven) {
  ASSERT_EQ(first.TryTake(), Result<bool>(true));
  const LeaderKey deposed = first;  // it does not hear of the end
  first.Resign();
  EXPECT_EQ(deposed.Leads(), Result<bool>(false));
  ASSERT_EQ(second.TryTake(), Result<bool>(true));
  EXPECT_EQ(deposed.Leads(), Result<bool>(false));
  second.Resign();
  ASSERT_EQ(first.TryTake(), Result<bool>(true));
  EXPECT_EQ(deposed.Leads(), Result<bool>(false)) << "its name leads, in another term";
}

TEST_F(LeaderKeyTest, ALostAnswerIsFoundOut) {
  store.faults = {Fault::kAnswerLost};
  EXPECT_EQ(first.TryTake(), Result<bool>(true));
  EXPECT_EQ(first.Leads(), Result<bool>(true));
}

TEST_F(LeaderKeyTest, ALostAnswerIsNotTheLeadOfAnother) {
  store.faults = {Fault::kLost};
  store.meanwhile = [this] { EXPECT_EQ(second.TryTake(), Result<bool>(true)); };
  EXPECT_EQ(first.TryTake(), Result<bool>(false));
  EXPECT_EQ(first.term(), 0u);
}

// Both found no leader before.
TEST_F(LeaderKeyTest, OfTwoThatAskTogetherOneLeads) {
  store.before_commit = [this] { EXPECT_EQ(second.TryTake(), Result<bool>(true)); };
  EXPECT_EQ(first.TryTake(), Result<bool>(false));
}

// Its lease has ended by then, so nobody leads by it.
TEST_F(LeaderKeyTest, ARequestThatComesLateTakesNothing) {
  store.faults = {Fault::kLate};
  EXPECT_EQ(first.TryTake(), Result<bool>(false));
  store.Arrive();
  EXPECT_EQ(first.Owner(), Result<std::string>(""));
  EXPECT_EQ(second.TryTake(), Result<bool>(true));
}

TEST_F(LeaderKeyTest, WithoutAnAnswerNothingIsKnown) {
  ASSERT_EQ(first.TryTake(), Result<bool>(true));
  store.reads_fail = true;
  EXPECT_FALSE(first.Leads());
  EXPECT_FALSE(second.TryTake());
}

TEST(LeaderKey, WhatItTellsOfItselfMayChangeAndTheTermStays) {
  MemoryQuorumStore store;
  LeaderKey first(store, StoreKeys("test"), "first", Duration::Seconds(2));
  LeaderKey second(store, StoreKeys("test"), "second", Duration::Seconds(2));
  ASSERT_EQ(first.TryTake(), Result<bool>(true));
  ASSERT_TRUE(first.Restate("first, stopping"));
  EXPECT_EQ(first.Leads(), Result<bool>(true));
  ASSERT_EQ(second.TryTake(), Result<bool>(false));
  EXPECT_EQ(second.seen_owner(), "first, stopping");
  EXPECT_EQ(second.seen_term(), first.term());
  first.Resign();
  EXPECT_EQ(second.TryTake(), Result<bool>(true)) << "the lease is still the one that it ends";
  EXPECT_FALSE(first.Restate("first")) << "its term is over";
}

TEST(LeaderKey, TheTermOfAProcessThatHasEndedIsEnded) {
  MemoryQuorumStore store;
  LeaderKey first(store, StoreKeys("test"), "first", Duration::Seconds(2));
  LeaderKey second(store, StoreKeys("test"), "second", Duration::Seconds(2));
  ASSERT_EQ(first.TryTake(), Result<bool>(true));
  ASSERT_EQ(second.TryTake(), Result<bool>(false));
  EXPECT_EQ(second.seen_term(), first.term());
  EXPECT_TRUE(second.Depose(first.term() + 1)) << "another term is over already";
  EXPECT_EQ(first.Leads(), Result<bool>(true));
  EXPECT_TRUE(second.Depose(first.term()));
  EXPECT_EQ(first.Leads(), Result<bool>(false));
  EXPECT_EQ(second.TryTake(), Result<bool>(true));
  EXPECT_EQ(second.seen_term(), 0U);
}

}  // namespace
}  // namespace gp
