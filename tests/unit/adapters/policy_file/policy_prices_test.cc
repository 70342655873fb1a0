#include "adapters/inbound/policy_file/policy_prices.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(Amounts, AreReadExactly) {
  EXPECT_EQ(MicrosOf("2.10"), 2'100'000);
  EXPECT_EQ(MicrosOf("0.000001"), 1);
  EXPECT_EQ(MicrosOf("999999999"), 999'999'999'000'000);
  for (const char* text :
       {"", ".5", "1.", "-1", "+1", "01", "1e3", "0.0000001", "1000000000", "1,5"})
    EXPECT_EQ(MicrosOf(text), std::nullopt) << text;
}

TEST(Amounts, AreWrittenAsTheyAreRead) {
  EXPECT_EQ(AmountText(2'100'000), "2.1");
  EXPECT_EQ(AmountText(0), "0");
  for (const int64_t micros :
       {0L, 1L, 10L, 999'999L, 1'000'000L, 1'000'001L, 12'340'000L, 999'999'999'999'999L})
    EXPECT_EQ(MicrosOf(AmountText(micros)), micros);
}

}  // namespace
}  // namespace gp
