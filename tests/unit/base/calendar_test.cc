#include "base/calendar.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(Calendar, DaysOfDatesAndBack) {
  EXPECT_EQ(DaysFromCivil({1970, 1, 1}), 0);
  EXPECT_EQ(DaysFromCivil({2000, 2, 29}), 11'016);
  EXPECT_EQ(DaysFromCivil({2100, 2, 29}), DaysFromCivil({2100, 3, 1})) << "2100 has no leap day";
  for (int64_t day = -900'000; day < 900'000; day += 17)
    EXPECT_EQ(DaysFromCivil(CivilFromDays(day)), day);
}

TEST(FirstOf, MonthAndYear) {
  EXPECT_EQ(FirstOfMonth(0), 0);
  EXPECT_EQ(FirstOfMonth(58), 31);
  EXPECT_EQ(FirstOfMonth(59), 59);
  EXPECT_EQ(FirstOfMonth(-1), -31);
  EXPECT_EQ(FirstOfYear(364), 0);
  EXPECT_EQ(FirstOfYear(365), 365);
}

}  // namespace
}  // namespace gp
