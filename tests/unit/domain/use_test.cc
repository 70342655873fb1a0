#include "domain/model/nodes/use.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr Instant kBegan{1'000};
constexpr Instant kRestarted{2'000};

RankUse Use(Instant since, int64_t seen_ms, int64_t busy_ms, int64_t memory_mib = 10) {
  return {since, {{0, seen_ms, busy_ms, memory_mib}}, seen_ms * 2, seen_ms, 100};
}

TEST(Use, AddsWhatCameSinceTheLastTelling) {
  const RankUse first = Added({}, {}, Use(kBegan, 1'000, 400));
  EXPECT_EQ(first, Use(kBegan, 1'000, 400));
  const RankUse second = Added(first, Use(kBegan, 1'000, 400), Use(kBegan, 3'000, 500, 7));
  EXPECT_EQ(second, Use(kBegan, 3'000, 500));
}

TEST(Use, OfARestartedCounterAllCounts) {
  const RankUse sum =
      Added(Use(kBegan, 5'000, 5'000), Use(kBegan, 5'000, 5'000), Use(kRestarted, 9'000, 0, 80));
  EXPECT_EQ(sum, Use(kBegan, 14'000, 5'000, 80));
}

TEST(Use, WhatCannotBeDoesNotFollow) {
  const RankUse before = Use(kBegan, 5'000, 2'000);
  EXPECT_TRUE(Follows(before, Use(kBegan, 5'000, 2'000), {0, 1}));
  EXPECT_TRUE(Follows(before, Use(kBegan, 9'000, 6'000), {0, 1}));
  EXPECT_TRUE(Follows(before, Use(kRestarted, 1'000, 0), {0, 1}));
  EXPECT_FALSE(Follows(before, Use(kBegan, 4'000, 2'000), {0})) << "less time than before";
  EXPECT_FALSE(Follows(before, Use(kBegan, 6'000, 1'000), {0})) << "less busy than before";
  EXPECT_FALSE(Follows(before, Use(kBegan, 6'000, 3'500), {0})) << "busier than time has passed";
  EXPECT_FALSE(Follows(before, Use(kRestarted, 1'000, 1'001), {0})) << "busier than time";
  EXPECT_FALSE(Follows(before, Use(kBegan, 5'000, 2'000), {1})) << "a GPU that it was not granted";
  EXPECT_FALSE(Follows({}, Use(kBegan, kUseMsMax + 1, 0), {0})) << "longer than any lease";
  EXPECT_FALSE(Follows({}, Use(kBegan, -1, -1), {0})) << "less than nothing";
  RankUse twice = Use(kBegan, 5'000, 2'000);
  twice.gpus.push_back(twice.gpus[0]);
  EXPECT_FALSE(Follows({}, twice, {0, 1})) << "a GPU twice";
}

TEST(Use, NoMoreFitsIntoATimeThanIt) {
  const Duration hour = Duration::Minutes(60);
  EXPECT_TRUE(FitsInto(Use(kBegan, 3'600'000, 0), hour));
  EXPECT_TRUE(FitsInto(Use(kBegan, 2 * 3'600'000, 0), hour)) << "a clock may be stepped";
  EXPECT_FALSE(FitsInto(Use(kBegan, 2 * 3'600'000 + 1, 0), hour));
  RankUse cores = Use(kBegan, 1, 0);
  cores.cpu_ms = int64_t{1} << 50;
  EXPECT_FALSE(FitsInto(cores, hour));
}

TEST(Use, IsWorthANoteWhenATenthMoreWasSeen) {
  const auto is_worth = [](int64_t noted_ms, int64_t now_ms) {
    return IsWorthNoting(Use(kBegan, noted_ms, 0), Use(kBegan, now_ms, 0));
  };
  EXPECT_FALSE(IsWorthNoting({}, {}));
  EXPECT_FALSE(IsWorthNoting({}, Use(kBegan, 9'999, 0)));
  EXPECT_TRUE(IsWorthNoting({}, Use(kBegan, 10'000, 0)));
  EXPECT_FALSE(is_worth(10'000, 19'999));
  EXPECT_TRUE(is_worth(10'000, 20'000));
  EXPECT_FALSE(is_worth(1'000'000, 1'099'999));
  EXPECT_TRUE(is_worth(1'000'000, 1'100'000));
  EXPECT_FALSE(is_worth(100'000'000, 100'299'999));
  EXPECT_TRUE(is_worth(100'000'000, 100'300'000));
}

TEST(Use, BusyTimeIsOfAllGpus) {
  RankUse use = Use(kBegan, 1'000, 400);
  use.gpus.push_back({1, 500, 500, GpuUse::kNotSeen});
  EXPECT_EQ(BusyTimeOf(use), (BusyTime{1'500, 900}));
}

}  // namespace
}  // namespace gp
