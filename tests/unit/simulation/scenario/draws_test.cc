#include "simulation/scenario/draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/percentile.h"

namespace gp {
namespace {

std::vector<int64_t> SecondsOf(const Draw& draw, uint64_t seed = 1) {
  Rng rng(seed);
  std::vector<int64_t> seconds;
  for (int i = 0; i < 20'000; ++i) seconds.push_back(DrawSpan(draw, rng).ToSeconds());
  return seconds;
}

TEST(Draws, AFixedSpanIsThatSpan) {
  Rng rng(1);
  EXPECT_EQ(DrawSpan({Draw::Kind::kFixed, Duration::Milliseconds(1'500), {}}, rng),
            Duration::Milliseconds(1'500));
}

TEST(Draws, MedianAndNinetiethAreWhatWasAskedFor) {
  const auto seconds =
      SecondsOf({Draw::Kind::kMedian, Duration::Minutes(20), Duration::Minutes(360)});
  EXPECT_NEAR(static_cast<double>(Percentile(seconds, 50)), 20 * 60, 20 * 60 * 0.05);
  EXPECT_NEAR(static_cast<double>(Percentile(seconds, 90)), 360 * 60, 360 * 60 * 0.05);
  EXPECT_LT(Percentile(seconds, 10), 2 * 60) << "as far below as above";
}

TEST(Draws, AMeanIsThatOfAnExponential) {
  const auto seconds = SecondsOf({Draw::Kind::kMean, Duration::Minutes(30), {}});
  double sum = 0;
  for (const int64_t one : seconds) sum += static_cast<double>(one);
  EXPECT_NEAR(sum / static_cast<double>(seconds.size()), 1800, 1800 * 0.03);
  EXPECT_NEAR(static_cast<double>(Percentile(seconds, 50)), 1800 * 0.693, 1800 * 0.03);
}

TEST(Draws, TheSameSeedDrawsTheSame) {
  const Draw draw{Draw::Kind::kMedian, Duration::Minutes(20), Duration::Minutes(360)};
  EXPECT_EQ(SecondsOf(draw, 7), SecondsOf(draw, 7));
  EXPECT_NE(SecondsOf(draw, 7), SecondsOf(draw, 8));
}

TEST(Draws, EqualMedianAndNinetiethAreOneLength) {
  const auto seconds = SecondsOf({Draw::Kind::kMedian, Duration::Minutes(5), Duration::Minutes(5)});
  EXPECT_EQ(std::ranges::min(seconds), 300);
  EXPECT_EQ(std::ranges::max(seconds), 300);
}

}  // namespace
}  // namespace gp
