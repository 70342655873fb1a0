#include "simulation/run/level_series.h"

#include <gtest/gtest.h>

#include <numeric>

namespace gp {
namespace {

constexpr Instant kFirstLevel{1'000'000'000'000};

Instant At(int64_t seconds) { return kFirstLevel + Duration::Seconds(seconds); }

TEST(LevelSeries, TellsTheMeanOfEachSpan) {
  LevelSeries series(kFirstLevel);
  series.Extend(At(1), 4);
  series.Extend(kFirstLevel + Duration::Milliseconds(1'250), 8);
  series.Extend(At(3), 0);
  EXPECT_EQ(series.Means(At(3)), (std::vector<double>{4, 2, 0}));
}

TEST(LevelSeries, SpansDoubleAsTheRunGrows) {
  LevelSeries series(kFirstLevel);
  for (int64_t second = 1; second <= 10'000; ++second)
    series.Extend(At(second), second <= 5'000 ? 1 : 3);
  const std::vector<double> means = series.Means(At(10'000));
  EXPECT_LE(means.size(), kLevelPointsMax);
  EXPECT_GT(means.size(), kLevelPointsMax / 2);
  EXPECT_EQ(means.front(), 1);
  EXPECT_EQ(means.back(), 3);
  const double area = std::accumulate(means.begin(), means.end() - 1, 0.0) *
                      static_cast<double>(series.span().ns) / 1e9;
  EXPECT_NEAR(area, 5'000 * 1 + 5'000 * 3, 3 * static_cast<double>(series.span().ns) / 1e9);
}

// A series told of rarely has the same spans as one told of often.
TEST(LevelSeries, OneLongStretchIsTheSameAsManyShort) {
  LevelSeries often(kFirstLevel);
  LevelSeries rarely(kFirstLevel);
  for (int64_t second = 1; second <= 3'000; ++second) often.Extend(At(second), 2);
  rarely.Extend(At(3'000), 2);
  EXPECT_EQ(often.Means(At(3'000)), rarely.Means(At(3'000)));
}

TEST(LevelSeries, ASpanThatIsCutShortIsNotDiluted) {
  LevelSeries series(kFirstLevel);
  series.Extend(At(2) + Duration::Milliseconds(500), 6);
  EXPECT_EQ(series.Means(At(2) + Duration::Milliseconds(500)), (std::vector<double>{6, 6, 6}));
}

}  // namespace
}  // namespace gp
