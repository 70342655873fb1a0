#include "supervisor/records/metric_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gp {
namespace {

TEST(MetricRecord, ALineIsReadAsItWasWritten) {
  const MetricPoint point{"train/loss", 1'200, {1'700'000'000'250'000'000}, 3, -1e-300, 0.1, 1e17};
  const std::string line = ToLine(point);
  EXPECT_EQ(line, "1700000000250 1200 3 -1e-300 0.1 1e+17 train/loss\n");
  const auto read = ParseMetricRecords(line);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(ToLine(read[0]), line);
}

TEST(MetricRecord, WhatIsNoRecordIsSkipped) {
  const std::string good = "1 2 1 nan nan -inf a\n";
  for (const std::string bad :
       {"", "1 2 1 0 0 0 \n", "1 2 0 0 0 0 a\n", "1 -2 1 0 0 0 a\n", "-1 2 1 0 0 0 a\n",
        "1 2 1 0 0 a\n", "1 2 1 0 0 0 a b\n", "1 2 1 0 0x 0 a\n", "1 2 1 0 0 0 a",
        "99999999999999999999 2 1 0 0 0 a\n", "9223372036854775807 2 1 0 0 0 a\n"}) {
    EXPECT_TRUE(ParseMetricRecords(bad).empty()) << bad;
    if (bad.ends_with('\n')) {
      EXPECT_EQ(ParseMetricRecords(bad + good).size(), 1u) << bad;
    }
  }
}

TEST(MetricRecord, ValuesAreTakenAsProgramsPrintThem) {
  EXPECT_EQ(ParseMetricValue("0.52"), 0.52);
  EXPECT_EQ(ParseMetricValue("-2"), -2.0);
  EXPECT_EQ(ParseMetricValue("+9.3e-05"), 9.3e-05);
  EXPECT_TRUE(std::isnan(ParseMetricValue("nan").value()));
  EXPECT_TRUE(std::isnan(ParseMetricValue("NaN").value()));
  EXPECT_EQ(ParseMetricValue("-inf"), -std::numeric_limits<double>::infinity());
  for (const char* bad :
       {"", "+", "1,5", "0.5 ", "tensor(0.5)", "0x1p3", "+-1", "1e999", "nan(2)x"})
    EXPECT_FALSE(ParseMetricValue(bad).has_value()) << bad;
}

}  // namespace
}  // namespace gp
