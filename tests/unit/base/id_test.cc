#include "base/id.h"

#include <gtest/gtest.h>

#include <set>
#include <type_traits>

#include "base/rng.h"

namespace gp {
namespace {

using AppleId = Id<struct AppleTag, uint64_t>;
using PearId = Id<struct PearTag, uint64_t>;

static_assert(!std::is_convertible_v<AppleId, PearId>);
static_assert(!std::is_convertible_v<uint64_t, AppleId>);

TEST(Id, OrdersByValue) {
  EXPECT_LT(AppleId{1}, AppleId{2});
  EXPECT_EQ(AppleId{}, AppleId{0});
}

TEST(Rng, SameSeedSameSequence) {
  Rng a(7);
  Rng b(7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.Next(), b.Next());
  EXPECT_EQ(Rng(0).Next(), 0xe220a8397b1dcdafull);  // the published sequence of SplitMix64
}

TEST(Rng, BetweenReachesBothEnds) {
  Rng rng(1);
  std::set<int> seen;
  for (int i = 0; i < 1'000; ++i) seen.insert(rng.Between(-1, 2));
  EXPECT_EQ(seen, (std::set<int>{-1, 0, 1, 2}));
}

}  // namespace
}  // namespace gp
