#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "domain/accounting/account.h"
#include "domain/accounting/decay.h"

namespace gp {
namespace {

constexpr Duration kWeek = Duration::Minutes(7 * 24 * 60);

TEST(Decay, HalvesWithEachHalfLife) {
  EXPECT_EQ(Faded(1'000'000, Duration{0}, kWeek), 1'000'000);
  EXPECT_EQ(Faded(1'000'000, kWeek, kWeek), 500'000);
  EXPECT_EQ(Faded(1'000'000, kWeek * 3, kWeek), 125'000);
  EXPECT_EQ(Faded(INT64_MAX, kWeek * 70, kWeek), 0);
  EXPECT_EQ(Faded(1'000'000, Duration{-5}, kWeek), 1'000'000) << "a clock that steps back";
}

TEST(Decay, IsTheExponential) {
  Rng rng(7);
  for (int i = 0; i < 2'000; ++i) {
    const Duration elapsed{static_cast<int64_t>(rng.Below(static_cast<uint64_t>(kWeek.ns) * 5))};
    const long double halvings =
        static_cast<long double>(elapsed.ns) / static_cast<long double>(kWeek.ns);
    const long double exact = std::exp2(-halvings) * 1e17L;
    EXPECT_NEAR(static_cast<double>(Faded(100'000'000'000'000'000, elapsed, kWeek) - exact), 0, 1e5)
        << elapsed.ns;
    const long double area = 8'000.0L * (1 - std::exp2(-halvings)) *
                             static_cast<long double>(kWeek.ns) / 1e6L / std::log(2.0L);
    EXPECT_NEAR(static_cast<double>(FadedSum(8'000, elapsed, kWeek) - area), 0,
                static_cast<double>(area) * 1e-8 + 1.0)
        << elapsed.ns;
  }
}

// However often it is looked at, it comes to the same but for the roundings.
TEST(Account, SumsDoNotDependOnWhenTheyAreTaken) {
  const Meter meter{kWeek, Duration::Minutes(30 * 24 * 60)};
  Account often{{8'000, 0, 1}, Instant{0}, 0, 0, 0};
  Account once = often;
  Rng rng(3);
  Instant at{0};
  for (int i = 0; i < 20'000; ++i)
    Settle(often, at = at + Duration::Milliseconds(rng.Between(1, 20'000)), meter);
  Settle(once, at, meter);
  EXPECT_NEAR(static_cast<double>(often.faded_use), static_cast<double>(once.faded_use), 40'000);
  EXPECT_EQ(often.period_use, once.period_use);
  EXPECT_EQ(once.period_use, 8'000 * at.ns / 1'000'000);
}

TEST(Account, EachPeriodCountsFromZero) {
  const Meter meter{kWeek, Duration::Minutes(60)};
  Account account{{2'000, 0, 1}, Instant{0}, 0, 0, 0};
  Settle(account, Instant{Duration::Minutes(59).ns}, meter);
  EXPECT_EQ(account.period_use, 2'000 * int64_t{59} * 60'000);
  Settle(account, Instant{Duration::Minutes(150).ns}, meter);
  EXPECT_EQ(account.period_use, 2'000 * int64_t{30} * 60'000);
  const Account before = account;
  Settle(account, Instant{Duration::Minutes(10).ns}, meter);
  EXPECT_EQ(account, before) << "time before as_of";
}

TEST(Account, PathsFromTheTop) {
  EXPECT_EQ(PathsTo("a"), std::vector<std::string>{"a"});
  EXPECT_EQ(PathsTo("a/b/c"), (std::vector<std::string>{"a", "a/b", "a/b/c"}));
}

}  // namespace
}  // namespace gp
