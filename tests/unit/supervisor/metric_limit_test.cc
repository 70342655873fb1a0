#include "supervisor/records/metric_limit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace gp {
namespace {

// Number of the limit that a value of step 7 meets, from 1; 0: none.
int Met(const MetricLimit& limit, double value) {
  AttemptProgress progress;
  JudgeMetric(std::vector{MetricLimit{"other", MetricTest::kIsNan, ""}, limit}, {"loss", value},
              progress);
  return progress.metric_limit;
}

TEST(MetricLimit, IsMetBeyondItAndNotAtIt) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const MetricLimit above{"loss", MetricTest::kAbove, "1.5e1"};
  EXPECT_EQ(Met(above, 15), 0);
  EXPECT_EQ(Met(above, std::nextafter(15, 16)), 2);
  EXPECT_EQ(Met(above, kInfinite), 2);
  const MetricLimit below{"loss", MetricTest::kBelow, "-0.5"};
  EXPECT_EQ(Met(below, -0.5), 0);
  EXPECT_EQ(Met(below, -0.6), 2);
  const MetricLimit nan{"loss", MetricTest::kIsNan, ""};
  EXPECT_EQ(Met(nan, kInfinite), 0);
  EXPECT_EQ(Met(nan, std::nan("")), 2);
  EXPECT_EQ(Met(above, std::nan("")), 0);
  EXPECT_EQ(Met(below, std::nan("")), 0);
  EXPECT_EQ(Met({"los", MetricTest::kIsNan, ""}, std::nan("")), 0);
  EXPECT_EQ(Met({"loss", MetricTest::kAbove, "what a newer controller writes"}, 1e300), 0);
}

TEST(MetricLimit, TheFirstOneThatWasMetStays) {
  const std::vector<MetricLimit> limits{{"loss", MetricTest::kAbove, "9"},
                                        {"loss", MetricTest::kIsNan, ""}};
  AttemptProgress progress;
  progress.step = 7;
  EXPECT_FALSE(JudgeMetric(limits, {"loss", 3}, progress));
  EXPECT_TRUE(JudgeMetric(limits, {"loss", std::nan("")}, progress));
  progress.step = 8;
  EXPECT_FALSE(JudgeMetric(limits, {"loss", 9.5}, progress));
  EXPECT_EQ(progress.metric_limit, 2);
  EXPECT_EQ(progress.metric_value, "loss is nan at step 7");
  AttemptProgress other;
  EXPECT_TRUE(JudgeMetric(limits, {"loss", 9.5}, other));
  EXPECT_EQ(other.metric_value, "loss = 9.5 at step 0");
}

}  // namespace
}  // namespace gp
