#include "adapters/inbound/api/streams/metric_position.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr JobId kPlaced{7};
const MetricPlaces kPlacesOfJob = {
    {{kPlaced, 1, 0}, {3}}, {{kPlaced, 1, 1}, {4}}, {{kPlaced, 2, 0}, {3}}};

TEST(MetricPosition, IsReadAsItWasWritten) {
  const MetricEnds ends = {{{{kPlaced, 1, 0}, {3}}, 4096}, {{{kPlaced, 1, 1}, {4}}, 300}};
  EXPECT_EQ(ToPosition(ends, kPlacesOfJob), "1.0-4096,1.1-300");
  EXPECT_EQ(ParsePosition("1.0-4096,1.1-300", kPlacesOfJob), ends);
  EXPECT_EQ(ParsePosition("", kPlacesOfJob), MetricEnds());
}

TEST(MetricPosition, WhatIsOfNoRankOfTheJobIsLeftOut) {
  EXPECT_EQ(ToPosition({{{{kPlaced, 1, 0}, {9}}, 4096}}, kPlacesOfJob), "");
  EXPECT_EQ(ParsePosition("1.7-10,9.0-10", kPlacesOfJob), MetricEnds());
}

TEST(MetricPosition, OtherTextsAreRefused) {
  for (const char* text :
       {"1", "1.0", "1-0", "1.0-", ".0-1", "1.-1", "-1.0-5", "1.0--5", "1.0-5,", "1.0-5;1.1-3",
        "a.b-c", "1.0-99999999999999999999", "9999999999.0-1", "0.1.2-3", "1.0-5 "}) {
    const auto ends = ParsePosition(text, kPlacesOfJob);
    ASSERT_FALSE(ends.has_value()) << text;
    EXPECT_EQ(ends.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace gp
