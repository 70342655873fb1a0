#include "experiments/packing/scattered_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gp {
namespace {

TEST(ScatteredOrder, IsAPermutationAndAlwaysTheSame) {
  const std::vector<size_t> order = ScatteredOrder(1'000);
  EXPECT_EQ(std::set<size_t>(order.begin(), order.end()).size(), 1'000u);
  EXPECT_EQ(*std::ranges::max_element(order), 999u);
  EXPECT_EQ(order, ScatteredOrder(1'000));
}

TEST(ScatteredOrder, NeighboursComeApart) {
  const std::vector<size_t> order = ScatteredOrder(1'000);
  int together = 0;
  for (size_t i = 1; i < order.size(); ++i) together += order[i] == order[i - 1] + 1;
  EXPECT_LT(together, 10);
}

TEST(ScatteredOrder, OfNothingAndOfThings) {
  EXPECT_TRUE(ScatteredOrder(0).empty());
  const std::vector<int> scattered = Scattered(std::vector<int>{5, 6, 7});
  EXPECT_EQ(std::multiset<int>(scattered.begin(), scattered.end()), (std::multiset<int>{5, 6, 7}));
}

}  // namespace
}  // namespace gp
