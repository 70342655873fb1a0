#include "simulation/run/prices.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr int64_t kHourNs = 3'600'000'000'000;

Usage TwoModels() {
  Usage usage;
  usage.by_model["NVIDIA H100 80GB HBM3"] = {Wide{100} * kHourNs, Wide{40} * kHourNs * 1000};
  usage.by_model["NVIDIA A100-SXM4-80GB"] = {Wide{10} * kHourNs, Wide{1} * kHourNs * 500};
  return usage;
}

TEST(Prices, CostWhatIsInstalledAndWhatIsHeld) {
  Prices prices;
  ASSERT_TRUE(prices.Add("H100=2.50"));
  ASSERT_TRUE(prices.Add("A100=1"));
  const UsageCost cost = CostOf(TwoModels(), prices);
  EXPECT_EQ(ToAmount(cost.installed), 260);
  EXPECT_EQ(ToAmount(cost.held), 100.5);
  EXPECT_TRUE(cost.models_without_price.empty());
}

TEST(Prices, NameModelsThatHaveNone) {
  Prices prices;
  ASSERT_TRUE(prices.Add("H100=0.000001"));
  const UsageCost cost = CostOf(TwoModels(), prices);
  EXPECT_EQ(cost.installed, 100) << "in millionths";
  EXPECT_EQ(cost.models_without_price, (std::vector<std::string>{"NVIDIA A100-SXM4-80GB"}));
}

TEST(Prices, TheLongestTextThatFitsCounts) {
  Prices prices;
  ASSERT_TRUE(prices.Add("H100=2"));
  ASSERT_TRUE(prices.Add("H100 80GB=3"));
  ASSERT_TRUE(prices.Add("NVIDIA=1"));
  EXPECT_EQ(prices.Find("NVIDIA H100 80GB HBM3")->micros_per_hour, 3'000'000);
  EXPECT_EQ(prices.Find("NVIDIA H100 NVL")->micros_per_hour, 1'000'000);
  EXPECT_EQ(prices.Find("AMD MI300X"), nullptr);
}

TEST(Prices, RefuseWhatIsNoPrice) {
  Prices prices;
  EXPECT_TRUE(prices.Add("H100=10000"));
  for (const char* text : {"H100", "=2", "H100=", "H100=-1", "H100=1e3", "H100=1.", "H100=.5",
                           "H100=1.0000001", "H100=10000.000001", "H100=100000", "H100=1,5"}) {
    EXPECT_FALSE(prices.Add(text)) << text;
  }
}

}  // namespace
}  // namespace gp
