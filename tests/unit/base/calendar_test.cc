#include "base/calendar.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

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
