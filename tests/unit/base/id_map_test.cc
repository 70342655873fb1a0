#include "base/id_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "base/id.h"

namespace gp {
namespace {

struct ThingTag;
using ThingId = Id<ThingTag, uint64_t>;
using Things = IdMap<ThingId, std::string>;

std::map<uint64_t, std::string> InOrder(const Things& things) {
  std::map<uint64_t, std::string> all;
  for (const auto& [id, thing] : things) all.emplace_hint(all.end(), id.value, thing);
  return all;
}

// Ids from a window that moves on, as those of jobs do.
TEST(IdMap, AgreesWithAMap) {
  std::mt19937 rng(1);
  Things things;
  std::map<uint64_t, std::string> same;
  for (uint64_t step = 0; step < 20'000; ++step) {
    const uint64_t id = step / 4 + rng() % 1'500;
    if (rng() % 3 == 0) {
      things.erase({id});
      same.erase(id);
    } else {
      things[{id}] = same[id] = std::to_string(step);
    }
    const auto found = same.find(id);
    const std::string* there = things.Find({id});
    ASSERT_EQ(there != nullptr, found != same.end()) << id;
    if (there != nullptr) {
      ASSERT_EQ(*there, found->second);
      ASSERT_EQ(things.at({id}), found->second);
    }
    ASSERT_EQ(things.contains({id + 1}), same.contains(id + 1));
    ASSERT_EQ(things.size(), same.size());
  }
  EXPECT_EQ(InOrder(things), same);
}

TEST(IdMap, ACopyHasItsOwnValues) {
  Things things;
  things[{1}] = "a";
  things[{600}] = "b";
  Things copy = things;
  *copy.Find({1}) = "c";
  copy.erase({600});
  EXPECT_EQ(*things.Find({1}), "a");
  EXPECT_EQ(*things.Find({600}), "b");
  EXPECT_EQ(copy.Find({600}), nullptr);
  things = copy;
  EXPECT_EQ(*things.Find({1}), "c");
  EXPECT_NE(things.Find({1}), copy.Find({1}));
}

TEST(IdMap, AMoveKeepsTheValuesWhereTheyAre) {
  Things things;
  const std::string* value = &things.Add({7}, "a");
  const Things moved = std::move(things);
  EXPECT_EQ(moved.Find({7}), value);
}

TEST(IdMap, FindsIdsThatTakeNoPage) {
  Things things;
  things[{~uint64_t{0}}] = "last";
  things[{uint64_t{1} << 40}] = "high";
  EXPECT_EQ(*things.Find({~uint64_t{0}}), "last");
  EXPECT_EQ(things.Find({(uint64_t{1} << 40) + 1}), nullptr);
  things.erase({~uint64_t{0}});
  EXPECT_FALSE(things.contains({~uint64_t{0}}));
  EXPECT_EQ(things.size(), 1U);
  EXPECT_THROW((void)things.at({5}), std::out_of_range);
}

}  // namespace
}  // namespace gp
