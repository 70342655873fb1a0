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
