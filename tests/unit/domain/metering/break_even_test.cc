#include "domain/metering/break_even.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(BreakEven, TwoServersAgainstACloud) {
  const auto even =
      BreakEvenOf({.purchase = 380'000, .own_monthly = 9'593, .rented_monthly = 22'246});
  ASSERT_TRUE(even.has_value() && even->has_value());
  EXPECT_EQ((*even)->hundredths_of_months, 3'003);
  EXPECT_EQ((*even)->hundredths_of_years, 250);
  EXPECT_EQ((*even)->saved_in_five_years, 379'180);
}

TEST(BreakEven, NeverWhereRentingCostsNoMore) {
  EXPECT_FALSE(
      BreakEvenOf({.purchase = 1, .own_monthly = 100, .rented_monthly = 100})->has_value());
  EXPECT_FALSE(
      BreakEvenOf({.purchase = 0, .own_monthly = 101, .rented_monthly = 100})->has_value());
}

TEST(BreakEven, AtOnceWhereNothingIsBought) {
  EXPECT_EQ(
      (*BreakEvenOf({.purchase = 0, .own_monthly = 1, .rented_monthly = 2}))->hundredths_of_months,
      0);
}

TEST(BreakEven, RefusesAmountsThatCannotBe) {
  const auto even = BreakEvenOf({.purchase = -1, .own_monthly = 0, .rented_monthly = 1});
  ASSERT_FALSE(even.has_value());
  EXPECT_EQ(even.error().message, "purchase: must be from 0 to 10^15, not -1");
  EXPECT_FALSE(
      BreakEvenOf({.purchase = 0, .own_monthly = 0, .rented_monthly = 1'000'000'000'000'001})
          .has_value());
  EXPECT_TRUE(
      BreakEvenOf({.purchase = 1'000'000'000'000'000, .own_monthly = 0, .rented_monthly = 1})
          .has_value());
}

}  // namespace
}  // namespace gp
