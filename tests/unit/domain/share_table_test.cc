#include "domain/scheduling/share_table.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr Instant kAt{1'700'000'000'000'000'000};
constexpr int64_t kGpus = 64;

// A pool of 64 GPUs with queues of these weights; nobody has used anything.
State Shares(const std::map<std::string, int>& weights) {
  State state;
  for (const auto& [name, weight] : weights)
    state.queues.all[name] = {.name = name, .weight = weight};
  state.nodes.capacity[kDefaultPool] = kGpus;
  return state;
}

// The queue's account holds this number of GPUs now.
void Hold(State& state, const std::string& queue, int64_t gpus) {
  Account& account = state.queues.accounts[{queue, ""}];
  account.held.share = gpus * kWholeShare;
  account.as_of = kAt;
}

// Steps of these queues, each with one user.
std::vector<int64_t> StepsOf(const State& state, const std::vector<std::string>& queues) {
  ShareTable table(state, kAt);
  std::vector<ShareTable::Entry*> entries;
  for (const std::string& queue : queues) entries.push_back(table.Add(queue, "ana"));
  table.Weigh();
  std::vector<int64_t> steps;
  for (const ShareTable::Entry* entry : entries) steps.push_back(entry->parent()->step());
  return steps;
}

using Steps = std::vector<int64_t>;

TEST(ShareTable, HalfTheClusterIsTheWholeShareOfOneOfTwo) {
  State state = Shares({{"a", 1}, {"b", 1}});
  EXPECT_EQ(StepsOf(state, {"a", "b"}), (Steps{0, 0}));
  Hold(state, "a", kGpus / 2);
  EXPECT_EQ(StepsOf(state, {"a", "b"}), (Steps{64, 0}));
  Hold(state, "b", kGpus / 4);
  EXPECT_EQ(StepsOf(state, {"a", "b"}), (Steps{64, 32}));
}

TEST(ShareTable, ShareGoesByWeight) {
  State state = Shares({{"a", 3}, {"b", 1}});
  Hold(state, "a", kGpus * 3 / 4);
  Hold(state, "b", kGpus / 4);
  EXPECT_EQ(StepsOf(state, {"a", "b"}), (Steps{64, 64}));
}

TEST(ShareTable, OnlyThoseWithPendingJobsDivide) {
  State state = Shares({{"a", 1}, {"b", 1}, {"c", 2}});
  Hold(state, "a", kGpus / 2);
  EXPECT_EQ(StepsOf(state, {"a", "b"}), (Steps{64, 0})) << "nobody waits in c";
  EXPECT_EQ(StepsOf(state, {"a", "b", "c"}), (Steps{128, 0, 0}));
}

TEST(ShareTable, AloneThereIsNothingToCompare) {
  State state = Shares({{"a", 1}, {"b", 1}});
  Hold(state, "a", kGpus);
  EXPECT_EQ(StepsOf(state, {"a"}), Steps{0});
}

TEST(ShareTable, AQueueBelowItsGuaranteeComesFirst) {
  State state = Shares({{"a", 1}, {"b", 1}});
  state.queues.all.at("a").guaranteed = 8;
  Hold(state, "a", 7);
  EXPECT_EQ(StepsOf(state, {"a", "b"}), (Steps{-1, 0}));
  Hold(state, "a", 8);
  EXPECT_EQ(StepsOf(state, {"a", "b"}), (Steps{16, 0}));
}

TEST(ShareTable, QueuesOfAnotherPoolAreNoSiblings) {
  State state = Shares({{"a", 1}, {"b", 1}});
  state.queues.all.at("b").pool = "other";
  Hold(state, "a", kGpus);
  EXPECT_EQ(StepsOf(state, {"a", "b"}), (Steps{0, 0}));
}

TEST(ShareTable, EachLevelOfTheTreeDividesByItself) {
  State state = Shares({{"a", 1}, {"a/x", 1}, {"a/y", 1}, {"b", 1}});
  Hold(state, "a", kGpus / 2);
  Hold(state, "a/x", kGpus / 2);
  ShareTable table(state, kAt);
  const ShareTable::Entry* x = table.Add("a/x", "ana")->parent();
  const ShareTable::Entry* y = table.Add("a/y", "ana")->parent();
  const ShareTable::Entry* b = table.Add("b", "ana")->parent();
  table.Weigh();
  ASSERT_EQ(x->parent(), y->parent());
  EXPECT_EQ(x->parent()->step(), 64) << "a has its half";
  EXPECT_EQ(b->step(), 0);
  EXPECT_EQ(x->step(), 64) << "and all of it is in x";
  EXPECT_EQ(y->step(), 0);
  EXPECT_EQ(b->parent(), nullptr);
}

TEST(ShareTable, UsersOfAQueueDivideEvenly) {
  State state = Shares({{"a", 1}});
  Account& account = state.queues.accounts[{"a", "ana"}];
  account.held.share = 16 * kWholeShare;
  account.as_of = kAt;
  ShareTable table(state, kAt);
  const ShareTable::Entry* ana = table.Add("a", "ana");
  const ShareTable::Entry* bob = table.Add("a", "bob");
  EXPECT_EQ(table.Add("a", "ana"), ana) << "the same again";
  table.Weigh();
  EXPECT_EQ(ana->step(), 32);
  EXPECT_EQ(bob->step(), 0);
}

TEST(ShareTable, WhatIsPlacedInThePassCountsAtOnce) {
  State state = Shares({{"a", 1}, {"b", 1}});
  ShareTable table(state, kAt);
  const ShareTable::Entry* a = table.Add("a", "ana");
  table.Add("b", "bob");
  table.Weigh();
  for (int gpus = 1; gpus <= 32; ++gpus) {
    table.Charge("a", "ana", kWholeShare);
    EXPECT_EQ(a->parent()->step(), 2 * gpus);
  }
  table.Charge("a", "nobody", kWholeShare);
  table.Charge("none", "ana", kWholeShare);
  table.Charge("a", "ana", 0);
  EXPECT_EQ(a->parent()->step(), 64);
}

TEST(ShareTable, PastUseCountsWhereNothingIsHeld) {
  State state = Shares({{"a", 1}, {"b", 1}});
  Account& account = state.queues.accounts[{"a", ""}];
  account.as_of = kAt;
  account.faded_use = kGpus / 2 * kWholeShare * state.policy.share_horizon.ToMilliseconds();
  EXPECT_EQ(StepsOf(state, {"a", "b"}), (Steps{64, 0}));
}

TEST(ShareTable, APoolWithoutGpusDividesWithoutAFault) {
  State state = Shares({{"a", 1}, {"b", 1}});
  state.nodes.capacity.clear();
  Hold(state, "a", 1);
  EXPECT_EQ(StepsOf(state, {"a", "b"}), (Steps{128, 0}));
}

}  // namespace
}  // namespace gp
