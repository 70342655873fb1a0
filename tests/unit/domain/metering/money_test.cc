#include "domain/metering/money.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace gp {
namespace {

GpuTime Hours(int64_t hours) { return {kGpuHour.units * hours}; }

TEST(Money, IsTimeAtAPrice) {
  EXPECT_EQ(ToText(Money(Hours(3), Price{2'100'000})), "6.30");
  EXPECT_EQ(Money(GpuTime{kGpuHour.units / 3}, Price{1'000'000}).To(1), 333'333);
  EXPECT_EQ(Money(GpuTime{1}, kPriceMax).To(1), 3) << "one thousandth of a GPU for a millisecond";
}

TEST(Money, IsRoundedWhereItIsReadAlone) {
  Money sum;
  for (int i = 0; i < 3; ++i) sum += Money(GpuTime{kGpuHour.units / 3}, Price{1'000'000});
  EXPECT_EQ(sum.To(1), 1'000'000) << "three thirds";
  EXPECT_EQ(ToText(Money::OfMicros(5'000)), "0.01");
  EXPECT_EQ(ToText(Money::OfMicros(4'999)), "0.00");
  EXPECT_EQ(ToText(Money::OfMicros(-5'000)), "-0.01");
  EXPECT_EQ(ToText(Money(GpuTime{kGpuHour.units / 2}, Price{9'999})), "0.00")
      << "rounded once: 4,999.5 millionths";
}

TEST(Money, HoldsThirtyYearsOfAHundredThousandGpus) {
  Money sum;
  for (int day = 0; day < 30 * 366; ++day) sum += Money(Hours(24 * 100'000), kPriceMax);
  EXPECT_EQ(ToText(sum), "263,520,000,000,000.00");
}

TEST(Money, SumsDoNotDependOnTheirOrder) {
  Rng rng(5);
  Money up, down;
  std::vector<Money> parts;
  for (int i = 0; i < 1'000; ++i) {
    parts.emplace_back(GpuTime{static_cast<int64_t>(rng.Below(1'000'000'000'000))},
                       Price{static_cast<int64_t>(rng.Below(9'000'000))});
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    up += parts[i];
    down += parts[parts.size() - 1 - i];
  }
  EXPECT_EQ(up, down);
  EXPECT_EQ(up - down, Money());
}

TEST(Money, IsWrittenAsPeopleReadIt) {
  EXPECT_EQ(ToText(Money::OfMicros(1'234'567'890'000)), "1,234,567.89");
  EXPECT_EQ(ToText(Money::OfMicros(999'000'000)), "999.00");
  EXPECT_EQ(ToText(Money::OfMicros(-1'000'000'000)), "-1,000.00");
  EXPECT_EQ(ToText(Money()), "0.00");
}

TEST(GpuTime, IsWrittenInHours) {
  EXPECT_EQ(ToGpuHours(Hours(12)), "12");
  EXPECT_EQ(ToGpuHours({kGpuHour.units * 5 / 2}), "2.5");
  EXPECT_EQ(ToGpuHours({kGpuHour.units / 1'000}), "0.001");
  EXPECT_EQ(ToGpuHours({-kGpuHour.units / 4}), "-0.25");
  EXPECT_EQ(ToGpuHours({}), "0");
}

}  // namespace
}  // namespace gp
