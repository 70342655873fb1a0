#include "experiments/trace/node_pool.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(NodePool, TakesTheTightestNodeAndTheLowestAmongEquals) {
  NodePool pool(3, 8);
  pool.Take({{1, 5}});
  pool.Take({{2, 3}});
  EXPECT_EQ(pool.Find(3), (GangPlace{{1, 3}}));
  EXPECT_EQ(pool.Find(4), (GangPlace{{2, 4}}));
  EXPECT_EQ(pool.Find(8), (GangPlace{{0, 8}}));
}

TEST(NodePool, LargerGangsTakeWholeNodesAndTheRestOnOneMore) {
  NodePool pool(3, 8);
  pool.Take({{0, 6}});
  EXPECT_EQ(pool.Find(18), (GangPlace{{1, 8}, {2, 8}, {0, 2}}));
  EXPECT_EQ(pool.Find(11), (GangPlace{{1, 8}, {2, 3}}));
  EXPECT_EQ(pool.Find(19), std::nullopt);
}

TEST(NodePool, FitsExactlyWhereItFinds) {
  NodePool pool(3, 4);
  for (int step = 0; step < 60; ++step) {
    for (int gpus = 1; gpus <= 12; ++gpus) EXPECT_EQ(pool.Fits(gpus), pool.Find(gpus).has_value());
    const int node = step * 7 % 3;
    if (pool.FreeOn(node) > 0) {
      pool.Take({{node, 1}});
    } else {
      pool.Release({{node, 3}});
    }
  }
}

}  // namespace
}  // namespace gp
