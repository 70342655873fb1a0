#include "base/cpu_set.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

CpuSet Set(std::string_view list) { return CpuSet::Parse(list).value(); }

TEST(CpuSet, ReadsAndWritesTheKernelsForm) {
  for (const char* list : {"", "0", "0-3", "0-3,8,10-11", "63-64,4095"})
    EXPECT_EQ(Set(list).ToString(), list);
  EXPECT_EQ(Set("3,1,2").ToString(), "1-3");
}

TEST(CpuSet, RefusesWhatIsNoList) {
  for (const std::string_view list : {",", "1,", "a", "3-1", "-1", "1-", "4096", "1--2", " 1"}) {
    EXPECT_FALSE(CpuSet::Parse(list).has_value()) << list;
  }
}

TEST(CpuSet, Algebra) {
  const CpuSet a = Set("0-3,100");
  const CpuSet b = Set("2-5");
  EXPECT_EQ(a.Union(b), Set("0-5,100"));
  EXPECT_EQ(a.Minus(b), Set("0-1,100"));
  EXPECT_EQ(b.Minus(a), Set("4-5"));
  EXPECT_EQ(a.Intersect(b), Set("2-3"));
  EXPECT_TRUE(a.Intersects(b));
  EXPECT_FALSE(a.Intersects(Set("50")));
}

TEST(CpuSet, EqualSetsAreEqualWhateverTheirPast) {
  CpuSet set = Set("1,4000");
  set.Remove(4000);
  set.Remove(4095);
  set.Remove(-1);
  EXPECT_EQ(set, Set("1"));
  EXPECT_EQ(Set("70").Minus(Set("70")), CpuSet{});
  EXPECT_EQ(CpuSet::FromWords({2, 0, 0}), Set("1"));
}

TEST(CpuSet, MembersCountAndLowest) {
  const CpuSet set = Set("5,64,3");
  EXPECT_EQ(set.Members(), (std::vector<int>{3, 5, 64}));
  EXPECT_EQ(set.Count(), 3);
  EXPECT_EQ(set.Lowest(2), Set("3,5"));
  EXPECT_EQ(set.Lowest(9), set);
  EXPECT_TRUE(set.Lowest(0).Empty());
  EXPECT_TRUE(set.Contains(64));
  EXPECT_FALSE(set.Contains(65));
  EXPECT_FALSE(set.Contains(-1));
}

TEST(CpuSetDeathTest, MembersHaveALimit) {
  CpuSet set;
  EXPECT_DEATH(set.Add(CpuSet::kMax), "below CpuSet::kMax");
}

}  // namespace
}  // namespace gp
