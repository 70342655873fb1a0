#include "domain/metering/usage.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace gp {
namespace {

constexpr Instant kNoon{Duration::Minutes(12 * 60).ns};  // of day 0

UsageKey KeyFor(UsageKind kind, const std::string& user = "", int64_t micros = 2'000'000) {
  return {.kind = kind,
          .pool = "default",
          .model = "H100",
          .price = {micros},
          .queue = user.empty() ? "" : "nlp",
          .user = user};
}

TEST(UsageLedger, DividesASpanAtMidnight) {
  UsageLedger ledger;
  ledger.Add(KeyFor(UsageKind::kJobs, "ana"), kNoon, kNoon + kDay * 2, 500);
  ASSERT_EQ(ledger.rows.size(), 3u);
  std::vector<std::pair<int64_t, GpuTime>> days;
  for (const auto& [key, time] : ledger.rows) days.emplace_back(key.day, time);
  const GpuTime hour{kGpuHour.units / 2};
  EXPECT_EQ(days, (std::vector<std::pair<int64_t, GpuTime>>{
                      {0, {hour.units * 12}}, {1, {hour.units * 24}}, {2, {hour.units * 12}}}));
}

TEST(UsageLedger, SpansThatMeetLeaveNothingOut) {
  Rng rng(11);
  UsageLedger often, once;
  Instant at{0};
  for (int i = 0; i < 20'000; ++i) {
    const Instant next =
        at + Duration::Nanoseconds(static_cast<int64_t>(rng.Below(60'000'000'000)));
    often.Add(KeyFor(UsageKind::kIdle), at, next, 1'000);
    at = next;
  }
  once.Add(KeyFor(UsageKind::kIdle), Instant{0}, at, 1'000);
  EXPECT_EQ(often, once);
}

TEST(UsageLedger, TimeThatStepsBackAddsNothing) {
  UsageLedger ledger;
  ledger.Add(KeyFor(UsageKind::kIdle), kNoon, kNoon, 1'000);
  ledger.Add(KeyFor(UsageKind::kIdle), kNoon, Instant{0}, 1'000);
  EXPECT_TRUE(ledger.rows.empty());
}

TEST(UsageLedger, WhatIsTakenBackLeavesNoRow) {
  UsageLedger ledger;
  UsageKey key = KeyFor(UsageKind::kJobs, "ana");
  ledger.Add(key, GpuTime{5});
  ledger.Add(key, GpuTime{-5});
  EXPECT_TRUE(ledger.rows.empty());
}

TEST(UsageLedger, PutsOldDaysTogetherAndLosesNothing) {
  UsageLedger ledger;
  constexpr int64_t kDays = 1'000;
  for (int64_t day = 0; day < kDays; ++day) {
    ledger.Coarsen(day);
    ledger.Add(KeyFor(UsageKind::kIdle), Instant{day * kDay.ns}, Instant{(day + 1) * kDay.ns},
               1'000);
    UsageKey little = KeyFor(UsageKind::kJobs, "ana");
    little.day = day;
    ledger.Add(std::move(little), GpuTime{1});
  }
  GpuTime all, of_ana;
  for (const auto& [key, time] : ledger.rows) (key.user.empty() ? all : of_ana) += time;
  EXPECT_EQ(all, GpuTime{kGpuHour.units * 24 * kDays});
  EXPECT_EQ(of_ana, GpuTime{kDays});
  std::erase_if(ledger.rows, [](const auto& row) { return row.first.user == "ana"; });
  // Of 1970 one row; of the months until a hundred days ago one each, of the days since then one
  // each.
  EXPECT_EQ(ledger.rows.begin()->first.day, 0);
  EXPECT_EQ(ledger.rows.begin()->second, GpuTime{kGpuHour.units * 24 * 212});
  const auto months = std::ranges::count_if(
      ledger.rows, [&](const auto& row) { return row.first.day < kDays - 1 - kDaysKept; });
  EXPECT_EQ(static_cast<int64_t>(ledger.rows.size()) - months, kDaysKept + 1);
  EXPECT_LE(months, 26);
}

TEST(UsageLedger, ADayThatWasPutToItsMonthTakesWhatComesLate) {
  UsageLedger ledger;
  ledger.Coarsen(400);
  UsageKey key = KeyFor(UsageKind::kJobs, "ana");
  key.day = 40;  // 10 February
  ledger.Add(key, GpuTime{5});
  ASSERT_EQ(ledger.rows.size(), 1u);
  EXPECT_EQ(ledger.rows.begin()->first.day, 31);
  ledger.Coarsen(300);  // a clock that was stepped back
  EXPECT_EQ(ledger.today, 400);
}

// Rows whose rate does not change for years are settled at last, and beside them others of the same
// days each hour.
TEST(UsageLedger, ADayComesToTheSameRowWheneverItIsEntered) {
  for (int64_t end = 780; end < 1'300; ++end) {
    UsageLedger settled, late;
    settled.Coarsen(0);
    for (int64_t day = 0; day < end; ++day) {
      settled.Coarsen(day);
      if (day % 7 == 0)
        settled.Add(KeyFor(UsageKind::kIdle), Instant{day * kDay.ns}, Instant{(day + 7) * kDay.ns},
                    1'000);
    }
    late.Coarsen(settled.today);
    late.Add(KeyFor(UsageKind::kIdle), Instant{0}, Instant{(end + 6) / 7 * 7 * kDay.ns}, 1'000);
    ASSERT_EQ(settled.rows, late.rows) << "after " << end << " days";
  }
}

TEST(UsageLedger, SaysWhichDaysARowHas) {
  UsageLedger ledger;
  ledger.Coarsen(1'000);
  EXPECT_EQ(ledger.FirstOfRow(990), 990);
  EXPECT_EQ(ledger.LastOfRow(990), 990);
  EXPECT_EQ(ledger.FirstOfRow(500), 485);  // May 1971
  EXPECT_EQ(ledger.LastOfRow(500), 515);
  EXPECT_EQ(ledger.FirstOfRow(100), 0);
  EXPECT_EQ(ledger.LastOfRow(100), 211);  // until July 1970; the months since are by themselves
}

TEST(AddTo, PutsTogetherWhatDoesNotCount) {
  UsageLedger ledger;
  ledger.Add(KeyFor(UsageKind::kJobs, "ana", 2'000'000), kNoon, kNoon + Duration::Minutes(60),
             1'000);
  // After a new price
  ledger.Add(KeyFor(UsageKind::kJobs, "ana", 3'000'000), kNoon, kNoon + Duration::Minutes(60),
             1'000);
  ledger.Add(KeyFor(UsageKind::kJobs, "ben", 2'000'000), kNoon, kNoon + Duration::Minutes(60), 500);
  ledger.Add(KeyFor(UsageKind::kIdle), kNoon, kNoon + Duration::Minutes(60), 500);
  UsageSums users;
  for (const auto& [row, time] : ledger.rows)
    AddTo(users, {.kind = false, .user = true}, row, time);
  ASSERT_EQ(users.size(), 3u);
  std::vector<std::string> texts;
  for (const auto& [key, sum] : users)
    texts.push_back(key.user + " " + ToGpuHours(sum.time) + " " + ToText(sum.money));
  EXPECT_EQ(texts, (std::vector<std::string>{" 0.5 1.00", "ana 2 5.00", "ben 0.5 1.00"}));
}

TEST(DayOf, CountsFromMidnightUtc) {
  EXPECT_EQ(DayOf(Instant{0}), 0);
  EXPECT_EQ(DayOf(Instant{kDay.ns - 1}), 0);
  EXPECT_EQ(DayOf(Instant{kDay.ns}), 1);
  EXPECT_EQ(DayOf(Instant{-1}), -1);
}

}  // namespace
}  // namespace gp
