// Budgets are set within limits, and for owners that exist.

#include "tests/unit/domain/cluster_fixture.h"

namespace gp {
namespace {

class DecideBudget : public ClusterFixture {
 protected:
  std::string Set(const std::function<void(SetBudget&)>& edit) {
    SetBudget set;
    set.key = {"", "ana", ""};
    set.gpu_hours = 10;
    edit(set);
    return Refusal(set);
  }
  void GivePrices() {
    Begin([](Policy& policy) {
      PriceRule rule;
      rule.per_gpu_hour.micros = 1'000'000;
      policy.prices.rules = {rule};
    });
  }
};

TEST_F(DecideBudget, AreOfAnOwnerThatExists) {
  const auto of = [&](const std::string& queue, const std::string& user, const std::string& pool) {
    return Set([&](SetBudget& set) { set.key = {queue, user, pool}; });
  };
  EXPECT_EQ(of("", "", ""), "") << "of the whole cluster";
  EXPECT_EQ(of("team", "", ""), "not-found: queue: there is no queue team");
  EXPECT_EQ(of("default", "*", ""), "") << "of each user of a queue";
  EXPECT_EQ(of("", "", "default"), "");
  EXPECT_EQ(of("", "", "big"),
            "not-found: pool: no node and no queue is in pool big (gpu-platform pools)");
  EXPECT_EQ(of("", "a b", ""), "invalid-argument: user: the name of a user, or * for each of them");
  const NodeId node = AddNode("n1");
  Do(ChangeNode{node, "big", {}, {}});
  EXPECT_EQ(of("", "", "big"), "");
}

TEST_F(DecideBudget, APoolMayBeThatOfAQueueAlone) {
  const NodeId node = AddNode("n1");
  Do(ChangeNode{node, "big", {}, {}});
  Do(SetQueue{.name = "team", .pool = "big"});
  Do(ChangeNode{node, "default", {}, {}});
  EXPECT_EQ(Set([](SetBudget& set) { set.key = {"", "", "big"}; }), "");
}

TEST_F(DecideBudget, HoursHaveARange) {
  const auto hours = [&](int64_t count) {
    return Set([&](SetBudget& set) { set.gpu_hours = count; });
  };
  EXPECT_EQ(hours(-1), "invalid-argument: gpu_hours: from 0 to 1000000000");
  EXPECT_EQ(hours(1'000'000'001), "invalid-argument: gpu_hours: from 0 to 1000000000");
  EXPECT_EQ(hours(1'000'000'000), "");
  EXPECT_EQ(hours(1), "");
  EXPECT_EQ(hours(0), "invalid-argument: a budget has GPU-hours, or money, or both");
}

TEST_F(DecideBudget, MoneyNeedsPrices) {
  const auto money = [&](int64_t micros) {
    return Set([&](SetBudget& set) { set.money_micros = micros; });
  };
  EXPECT_EQ(money(1),
            "conflict: money: the policy has no prices, so that nothing costs anything "
            "(docs/cost.md#prices)");
  EXPECT_EQ(money(0), "") << "none is asked";
  GivePrices();
  EXPECT_EQ(money(1), "");
  EXPECT_EQ(money(-1), "invalid-argument: money: from 0 to 1000000000");
  EXPECT_EQ(money(int64_t{1'000'000'000} * kMicrosPerUnit), "");
  EXPECT_EQ(money(int64_t{1'000'000'000} * kMicrosPerUnit + 1),
            "invalid-argument: money: from 0 to 1000000000");
}

TEST_F(DecideBudget, OneOfBothIsEnough) {
  GivePrices();
  const auto both = [&](int64_t hours, int64_t micros) {
    return Set([&](SetBudget& set) {
      set.gpu_hours = hours;
      set.money_micros = micros;
    });
  };
  EXPECT_EQ(both(0, 0), "invalid-argument: a budget has GPU-hours, or money, or both");
  EXPECT_EQ(both(0, 1), "");
  EXPECT_EQ(both(1, 0), "");
}

TEST_F(DecideBudget, WarningsRise) {
  const auto warn = [&](std::vector<int> levels) {
    return Set([&](SetBudget& set) { set.warn_at = std::move(levels); });
  };
  const std::string rising =
      "invalid-argument: warn_at: percentages from 1 to 1000, each above the one before";
  EXPECT_EQ(warn({}), "");
  EXPECT_EQ(warn({1, 1000}), "");
  EXPECT_EQ(warn({0}), rising);
  EXPECT_EQ(warn({1001}), rising);
  EXPECT_EQ(warn({50, 50}), rising);
  EXPECT_EQ(warn({80, 50}), rising);
  EXPECT_EQ(warn({1, 2, 3, 4, 5, 6, 7, 8}), "");
  EXPECT_EQ(warn({1, 2, 3, 4, 5, 6, 7, 8, 9}), "invalid-argument: warn_at: at most 8 levels");
}

TEST_F(DecideBudget, WhatIsNotNamedStays) {
  SetBudget set{.key = {"", "ana", ""}, .gpu_hours = 10};
  set.warn_at = {10};
  set.over = OverBudget::kHold;
  EXPECT_EQ(Do(set).size(), 1U);
  EXPECT_TRUE(Do(set).empty()) << "as it is";
  SetBudget more{.key = {"", "ana", ""}, .gpu_hours = 20};
  EXPECT_EQ(Do(more).size(), 1U);
  const Budget& budget = cluster_.state().queues.budgets.at({"", "ana", ""});
  EXPECT_EQ(budget.time.units, kGpuHour.units * 20);
  EXPECT_EQ(budget.warn_at, std::vector<int>{10});
  EXPECT_EQ(budget.over, OverBudget::kHold);
}

TEST_F(DecideBudget, ANewOneWarnsAtThreeLevels) {
  EXPECT_EQ(Set([](SetBudget&) {}), "");
  const Budget& budget = cluster_.state().queues.budgets.at({"", "ana", ""});
  EXPECT_EQ(budget.warn_at, (std::vector<int>{50, 80, 100}));
  EXPECT_EQ(budget.over, OverBudget::kWarn);
}

TEST_F(DecideBudget, OneThatIsNotThereIsNotDeletedNorReviewed) {
  EXPECT_EQ(Refusal(DeleteBudget{{"", "ana", ""}}),
            "not-found: there is no budget of all queues, user ana");
  EXPECT_TRUE(Do(ReviewBudget{{"", "ana", ""}}).empty()) << "it was deleted meanwhile";
  EXPECT_EQ(Set([](SetBudget&) {}), "");
  EXPECT_EQ(Refusal(DeleteBudget{{"", "ana", ""}}), "");
}

}  // namespace
}  // namespace gp
