#include "domain/accounting/wait_record.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr Duration kHour = Duration::Minutes(60);

Instant AtHour(int64_t hours) { return Instant{kHour.ns * hours}; }

TEST(WaitRecords, StartsAreCountedByHour) {
  WaitRecord record;
  AddStart(record, AtHour(10), true);
  AddStart(record, AtHour(11) - Duration{1}, false);
  AddStart(record, AtHour(11), true);
  EXPECT_EQ(record.total, (WaitCount{3, 2}));
  EXPECT_EQ(record.hours.at(10), (WaitCount{2, 1}));
  EXPECT_EQ(StartsOf(record, AtHour(11), 1), (WaitCount{1, 1}));
  EXPECT_EQ(StartsOf(record, AtHour(11), 2), (WaitCount{3, 2}));
  EXPECT_EQ(StartsOf(record, AtHour(12), 1), WaitCount{});
}

TEST(WaitRecords, OnlyTheNewestHoursAreKept) {
  WaitRecord record;
  for (int64_t hour = 0; hour < 100; ++hour) {
    AddStart(record, AtHour(hour), hour % 2 == 0);
    EXPECT_LE(record.hours.size(), static_cast<size_t>(kWaitHoursKept));
  }
  EXPECT_EQ(record.total, (WaitCount{100, 50}));
  EXPECT_EQ(StartsOf(record, AtHour(99), kWaitHoursKept), (WaitCount{24, 12}));
  EXPECT_EQ(record.hours.begin()->first, 76);
}

}  // namespace
}  // namespace gp
