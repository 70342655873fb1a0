#include "base/time.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(Time, Rfc3339OfKnownInstants) {
  EXPECT_EQ(ToRfc3339({0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(ToRfc3339({1'700'000'000'123'456'789}, true), "2023-11-14T22:13:20.123Z");
  EXPECT_EQ(ToRfc3339({951'782'400'000'000'000}), "2000-02-29T00:00:00Z");
  EXPECT_EQ(ToRfc3339({4'107'542'399'000'000'000}), "2100-02-28T23:59:59Z");
  EXPECT_EQ(ToRfc3339({-1}), "1969-12-31T23:59:59Z");
  EXPECT_EQ(ToRfc3339({-1'000'000}, true), "1969-12-31T23:59:59.999Z");
}

TEST(Time, Rfc3339IsReadBack) {
  for (const int64_t ns :
       {int64_t{0}, int64_t{-1'000'000}, 1'700'000'000'123'000'000, 951'782'400'000'000'000,
        4'107'542'399'000'000'000, -9'214'560'000'000'000'000, 9'214'646'399'999'000'000}) {
    const auto instant = ParseRfc3339(ToRfc3339({ns}, true));
    ASSERT_TRUE(instant) << ns;
    EXPECT_EQ(instant->ns, ns);
  }
}

TEST(Time, Rfc3339WithFractionsAndOffsets) {
  const auto of = [](const char* text) { return ParseRfc3339(text).value_or(Instant{-1}).ns; };
  EXPECT_EQ(of("1970-01-01T00:00:01Z"), 1'000'000'000);
  EXPECT_EQ(of("1970-01-01T00:00:01.5Z"), 1'500'000'000);
  EXPECT_EQ(of("1970-01-01T00:00:00.123456789Z"), 123'456'789);
  EXPECT_EQ(of("1970-01-01T00:00:00.1234567899Z"), 123'456'789);
  EXPECT_EQ(of("1970-01-01T01:30:00+01:30"), 0);
  EXPECT_EQ(of("1969-12-31T19:00:00.25-05:00"), 250'000'000);
  EXPECT_EQ(of("2000-02-29T00:00:00Z"), 951'782'400'000'000'000);
  EXPECT_EQ(of("2024-02-29T23:59:59-00:00"), 1'709'251'199'000'000'000);
}

TEST(Time, WhatIsNoRfc3339IsRefused) {
  for (const char* text : {"",
                           "now",
                           "2026-03-01",
                           "2026-03-01T12:00Z",
                           "2026-03-01T12:00:00",
                           "2026-03-01 12:00:00Z",
                           "2026-03-01T12:00:00.Z",
                           "2026-03-01T12:00:00Z ",
                           "2026-3-01T12:00:00Z",
                           "2026-13-01T12:00:00Z",
                           "2026-00-01T12:00:00Z",
                           "2026-04-31T12:00:00Z",
                           "2026-02-29T12:00:00Z",
                           "2100-02-29T12:00:00Z",
                           "2026-03-00T12:00:00Z",
                           "2026-03-01T24:00:00Z",
                           "2026-03-01T12:60:00Z",
                           "2026-12-31T23:59:60Z",
                           "2026-03-01T12:00:00+1:00",
                           "2026-03-01T12:00:00+0100",
                           "2026-03-01T12:00:00+24:00",
                           "1677-12-31T00:00:00Z",
                           "2262-01-01T00:00:00Z",
                           "-026-03-01T12:00:00Z"}) {
    EXPECT_FALSE(ParseRfc3339(text)) << text;
  }
  EXPECT_EQ(ParseRfc3339("noon").error().code, ErrorCode::kInvalidArgument);
}

TEST(Time, SpansAsPeopleWriteThem) {
  EXPECT_EQ(ToText(Duration{0}), "0ms");
  EXPECT_EQ(ToText(Duration::Milliseconds(250)), "250ms");
  EXPECT_EQ(ToText(Duration::Seconds(90)), "1m30s");
  EXPECT_EQ(ToText(Duration::Minutes(36 * 60)), "1d12h");
  EXPECT_EQ(ToText(Duration::Seconds(86'400 + 5)), "1d");
  EXPECT_EQ(ToText(Duration::Seconds(-5)), "-5s");
}

TEST(Time, Arithmetic) {
  const Instant at{1'000};
  EXPECT_EQ(at + Duration{5}, Instant{1'005});
  EXPECT_EQ(at - Duration{5}, Instant{995});
  EXPECT_EQ((at + Duration{5}) - at, Duration{5});
  EXPECT_EQ(Duration::Seconds(2) * 3, Duration::Milliseconds(6'000));
  EXPECT_LT(Instant{1}, Instant{2});
}

}  // namespace
}  // namespace gp
