#include "domain/metering/usage.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace gp {
namespace {

constexpr Instant kNoon{Duration::Minutes(12 * 60).ns};  // of day 0

UsageKey KeyFor(UsageKind kind, const std::string& user = "", int64_t micros = 2'000'000) {
  return {.kind = kind, .pool = "default", .model = "H100", .price = {micros}, .queue = user.empty() ? "" : "nlp", .user = user};
}

TEST(UsageBook, DividesASpanAtMidnight) {
  UsageBook book;
  book.Add(KeyFor(UsageKind::kJobs, "ana"), kNoon, kNoon + kDay * 2, 500);
  ASSERT_EQ(book.rows().size(), 3u);
  std::vector<std::pair<int64_t, GpuTime>> days;
  for (const auto& [key, time] : book.rows()) days.emplace_back(key.day, time);
  const GpuTime hour{kGpuHour.units / 2};
  EXPECT_EQ(days, (std::vector<std::pair<int64_t, GpuTime>>{
                      {0, {hour.units * 12}}, {1, {hour.units * 24}}, {2, {hour.units * 12}}}));
}

TEST(UsageBook, SpansThatMeetLeaveNothingOut) {
  Rng rng(11);
  UsageBook often, once;
  Instant at{0};
  for (int i = 0; i < 20'000; ++i) {
    const Instant next = at + Duration::Nanoseconds(static_cast<int64_t>(rng.Below(60'000'000'000)));
    often.Add(KeyFor(UsageKind::kIdle), at, next, 1'000);
    at = next;
  }
  once.Add(KeyFor(UsageKind::kIdle), Instant{0}, at, 1'000);
  EXPECT_EQ(often, once);
}

TEST(UsageBook, TimeThatStepsBackAddsNothing) {
  UsageBook book;
  book.Add(KeyFor(UsageKind::kIdle), kNoon, kNoon, 1'000);
  book.Add(KeyFor(UsageKind::kIdle), kNoon, Instant{0}, 1'000);
  EXPECT_TRUE(book.rows().empty());
}

TEST(UsageBook, WhatIsTakenBackLeavesNoRow) {
  UsageBook book;
  UsageKey key = KeyFor(UsageKind::kJobs, "ana");
  book.Add(key, GpuTime{5});
  book.Add(key, GpuTime{-5});
  EXPECT_TRUE(book.rows().empty());
}

TEST(UsageBook, ForgetsDaysAndSaysHowMuch) {
  UsageBook book;
  book.Add(KeyFor(UsageKind::kIdle), kNoon, kNoon + kDay * 2, 1'000);
  const auto forgotten = book.Forget(2);
  ASSERT_EQ(forgotten.size(), 1u);
  EXPECT_EQ(forgotten.begin()->first, (std::pair<std::string, std::string>("default", "H100")));
  EXPECT_EQ(forgotten.begin()->second, GpuTime{kGpuHour.units * 36});
  EXPECT_EQ(book.rows().size(), 1u);
  EXPECT_TRUE(book.Forget(2).empty());
}

TEST(SumBy, PutsTogetherWhatDoesNotCount) {
  UsageBook book;
  book.Add(KeyFor(UsageKind::kJobs, "ana", 2'000'000), kNoon, kNoon + Duration::Minutes(60), 1'000);
  book.Add(KeyFor(UsageKind::kJobs, "ana", 3'000'000), kNoon, kNoon + Duration::Minutes(60), 1'000);  // after a new price
  book.Add(KeyFor(UsageKind::kJobs, "ben", 2'000'000), kNoon, kNoon + Duration::Minutes(60), 500);
  book.Add(KeyFor(UsageKind::kIdle), kNoon, kNoon + Duration::Minutes(60), 500);
  const auto users = SumBy(book, {.kind = false, .user = true}, 0, 0);
  ASSERT_EQ(users.size(), 3u);
  std::vector<std::string> texts;
  for (const auto& [key, sum] : users) texts.push_back(key.user + " " + ToGpuHours(sum.time) + " " + ToText(sum.money));
  EXPECT_EQ(texts, (std::vector<std::string>{" 0.5 1.00", "ana 2 5.00", "ben 0.5 1.00"}));
}

TEST(SumBy, TakesTheDaysThatWereAskedFor) {
  UsageBook book;
  book.Add(KeyFor(UsageKind::kIdle), kNoon, kNoon + kDay * 3, 1'000);
  const auto sums = SumBy(book, {.day = true}, 1, 2);
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums.begin()->first.day, 1);
  EXPECT_EQ(sums.begin()->second.time, GpuTime{kGpuHour.units * 24});
  EXPECT_TRUE(SumBy(book, {}, 7, 9).empty());
}

TEST(DayOf, CountsFromMidnightUtc) {
  EXPECT_EQ(DayOf(Instant{0}), 0);
  EXPECT_EQ(DayOf(Instant{kDay.ns - 1}), 0);
  EXPECT_EQ(DayOf(Instant{kDay.ns}), 1);
  EXPECT_EQ(DayOf(Instant{-1}), -1);
}

}  // namespace
}  // namespace gp
