#include "domain/metering/budget.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr int64_t kNov1 = 20'758;  // 2026-11-01, days since 1970

Instant November(int64_t day, int64_t hour = 0) {
  return Instant{(kNov1 + day - 1) * kDay.ns + Duration::Minutes(hour * 60).ns};
}

UsageSum Used(int64_t gpu_hours, int64_t micros = 0) {
  return {{kGpuHour.units * gpu_hours}, Money::OfMicros(micros)};
}

constexpr Duration kThreeDays = kDay * 3;

BudgetStanding Standing(const Budget& budget, const UsageSum& used, const UsageSum& recent = {}) {
  return StandingOf(budget, used, recent, kThreeDays, November(16), November(31));
}

Budget Of(int64_t gpu_hours, int64_t micros = 0) {
  return {.time = {kGpuHour.units * gpu_hours}, .money_micros = micros};
}

TEST(StandingOf, SaysHowMuchIsUsed) {
  EXPECT_EQ(Standing(Of(100), Used(0)).per_cent, 0);
  EXPECT_EQ(Standing(Of(100), Used(79)).per_cent, 79);
  EXPECT_EQ(Standing(Of(100), Used(79)).warned, 50);
  EXPECT_EQ(Standing(Of(100), Used(80)).warned, 80);
  EXPECT_FALSE(Standing(Of(100), Used(99)).is_used_up);
  EXPECT_TRUE(Standing(Of(100), Used(100)).is_used_up);
  EXPECT_EQ(Standing(Of(100), Used(250)).per_cent, 250);
}

TEST(StandingOf, TheNearerLimitCounts) {
  EXPECT_EQ(Standing(Of(100, 50'000'000), Used(10, 40'000'000)).per_cent, 80);
  EXPECT_EQ(Standing(Of(100, 50'000'000), Used(90, 40'000'000)).per_cent, 90);
  EXPECT_EQ(Standing(Of(0, 50'000'000), Used(90, 25'000'000)).per_cent, 50);
}

TEST(StandingOf, WithoutLimitsNothingIsUsedUp) {
  EXPECT_EQ(Standing({}, Used(1'000, 1'000)), BudgetStanding{});
}

TEST(StandingOf, ExpectsTheMonthToGoOnAsOfLate) {
  // 10 GPU-hours a day; fifteen days are left.
  const BudgetStanding standing = Standing(Of(400), Used(300), Used(30));
  EXPECT_EQ(standing.expected_per_cent, 112);
  ASSERT_TRUE(standing.used_up_at);
  EXPECT_EQ(*standing.used_up_at, November(26));
}

TEST(StandingOf, WhatLastsUntilTheEndHasNoDay) {
  EXPECT_FALSE(Standing(Of(500), Used(300), Used(30)).used_up_at);
  EXPECT_FALSE(Standing(Of(500), Used(300)).used_up_at) << "nothing is used of late";
  EXPECT_EQ(Standing(Of(500), Used(300), Used(30)).expected_per_cent, 90);
}

TEST(StandingOf, ABookThatHasJustBegunExpectsNothing) {
  const BudgetStanding standing =
      StandingOf(Of(100), Used(10), Used(10), Duration{0}, November(16), November(31));
  EXPECT_TRUE(standing.is_too_early);
  EXPECT_EQ(standing.expected_per_cent, 10);
  EXPECT_FALSE(standing.used_up_at);
  EXPECT_FALSE(Standing(Of(100), Used(10), Used(10)).is_too_early);
  EXPECT_EQ(Standing(Of(100), Used(10), Used(-10)).expected_per_cent, 10)
      << "more was taken back than used";
}

TEST(StandingOf, WhatIsUsedUpIsSoNow) {
  EXPECT_EQ(Standing(Of(100), Used(100)).used_up_at, November(16));
}

}  // namespace
}  // namespace gp
