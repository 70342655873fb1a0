#include "adapters/inbound/metrics/families.h"

#include <gtest/gtest.h>

#include <limits>

namespace gp {
namespace {

std::string TextOf(double value) {
  const std::string text = ToText({Family("f", "h", MetricType::kGauge, {{{}, value}})});
  return text.substr(text.find("\nf ") + 3);
}

TEST(MetricFamilies, AreWrittenInPrometheusTextFormat) {
  EXPECT_EQ(ToText({Family("gpus", "GPUs by state", MetricType::kGauge,
                           {{{{"state", "idle"}, {"pool", "a"}}, 3}, {{{"state", "busy"}}, 1}}),
                    Family("jobs_total", "Jobs that ended", MetricType::kCounter, {{{}, 7}}),
                    Family("none", "No series yet", MetricType::kGauge, {})}),
            "# HELP gpus GPUs by state\n"
            "# TYPE gpus gauge\n"
            "gpus{state=\"busy\"} 1\n"
            "gpus{state=\"idle\",pool=\"a\"} 3\n"
            "# HELP jobs_total Jobs that ended\n"
            "# TYPE jobs_total counter\n"
            "jobs_total 7\n"
            "# HELP none No series yet\n"
            "# TYPE none gauge\n");
}

TEST(MetricFamilies, TextIsEscaped) {
  EXPECT_EQ(
      ToText({Family("f", "a \"b\"\\c\nd", MetricType::kGauge, {{{{"l", "a \"b\"\\c\nd"}}, 1}})}),
      "# HELP f a \"b\"\\\\c\\nd\n"
      "# TYPE f gauge\n"
      "f{l=\"a \\\"b\\\"\\\\c\\nd\"} 1\n");
}

TEST(MetricFamilies, NumbersAreReadBackAsTheyWere) {
  EXPECT_EQ(TextOf(0), "0\n");
  EXPECT_EQ(TextOf(85'899'345'920), "85899345920\n");
  EXPECT_EQ(TextOf(-3), "-3\n");
  EXPECT_EQ(TextOf(0.1), "0.1\n");
  EXPECT_EQ(TextOf(1e300), "1e+300\n");
  EXPECT_EQ(TextOf(std::numeric_limits<double>::quiet_NaN()), "NaN\n");
  EXPECT_EQ(TextOf(std::numeric_limits<double>::infinity()), "+Inf\n");
  EXPECT_EQ(TextOf(-std::numeric_limits<double>::infinity()), "-Inf\n");
}

}  // namespace
}  // namespace gp
