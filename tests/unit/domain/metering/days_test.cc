#include "domain/metering/days.h"

#include <gtest/gtest.h>

#include <vector>

namespace gp {
namespace {

std::vector<std::pair<int64_t, int64_t>> DaysOf(Instant from, Instant until) {
  std::vector<std::pair<int64_t, int64_t>> days;
  ForEachDay(from, until, [&](int64_t day, int64_t ms) { days.emplace_back(day, ms); });
  return days;
}

using Days = std::vector<std::pair<int64_t, int64_t>>;
constexpr int64_t kDayMs = 86'400'000;

TEST(Days, ASpanIsDividedWhereDaysBegin) {
  const Instant noon{kDay.ns * 20'000 + kDay.ns / 2};
  EXPECT_EQ(DaysOf(noon, noon + Duration::Minutes(60)), (Days{{20'000, 3'600'000}}));
  EXPECT_EQ(DaysOf(noon, noon + kDay), (Days{{20'000, kDayMs / 2}, {20'001, kDayMs / 2}}));
  EXPECT_EQ(DaysOf(noon, noon + kDay * 2),
            (Days{{20'000, kDayMs / 2}, {20'001, kDayMs}, {20'002, kDayMs / 2}}));
}

TEST(Days, AWholeDayIsOne) {
  const Instant begin{kDay.ns * 20'000};
  EXPECT_EQ(DaysOf(begin, begin + kDay), (Days{{20'000, kDayMs}}));
}

TEST(Days, NoTimeIsNoDay) {
  const Instant begin{kDay.ns * 20'000};
  EXPECT_EQ(DaysOf(begin, begin), Days{});
  EXPECT_EQ(DaysOf(begin, begin - kDay), Days{});
}

// However a span is cut, the parts have the sum of the whole: nothing is charged twice or not.
TEST(Days, NothingIsLostWhereASpanIsCut) {
  const Instant begin{kDay.ns * 20'000 + 123'456'789};
  const Instant until = begin + kDay * 3 + Duration{987'654'321};
  const auto sum = [](Instant from, Instant to) {
    int64_t ms = 0;
    ForEachDay(from, to, [&](int64_t, int64_t part) { ms += part; });
    return ms;
  };
  const int64_t whole = sum(begin, until);
  EXPECT_EQ(whole, MillisecondsBetween(begin, until));
  for (int64_t ns = 1; ns < (until - begin).ns; ns += 7'777'777'777'777) {
    EXPECT_EQ(sum(begin, begin + Duration{ns}) + sum(begin + Duration{ns}, until), whole) << ns;
  }
}

}  // namespace
}  // namespace gp
