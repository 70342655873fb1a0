#include "domain/placement/network.h"

#include <gtest/gtest.h>

#include <vector>

namespace gp {
namespace {

// All paths of up to three levels of two names each, and none.
std::vector<std::string> SmallNetworks() {
  std::vector<std::string> networks{""};
  for (const char* one : {"r1", "r10"}) {
    networks.emplace_back(one);
    for (const char* two : {"a", "b"}) {
      networks.push_back(std::string(one) + "/" + two);
      for (const char* three : {"x", "xy"})
        networks.push_back(std::string(one) + "/" + two + "/" + three);
    }
  }
  return networks;
}

TEST(Network, IsTheLabelOfANode) {
  Node node;
  EXPECT_EQ(NetworkOf(node), "");
  node.labels = {{"network2", "x"}, {"net", "y"}};
  EXPECT_EQ(NetworkOf(node), "");
  node.labels["network"] = "row2/rack7";
  EXPECT_EQ(NetworkOf(node), "row2/rack7");
}

TEST(Network, HasAsManyLevelsAsNames) {
  EXPECT_EQ(CountLevels(""), 0);
  EXPECT_EQ(CountLevels("r1"), 1);
  EXPECT_EQ(CountLevels("r1/a"), 2);
  EXPECT_EQ(CountLevels("r1/a/x"), 3);
}

TEST(Network, TheOuterLevelsAreItsBeginning) {
  EXPECT_EQ(Outer("r1/a/x", -1), "");
  EXPECT_EQ(Outer("r1/a/x", 0), "");
  EXPECT_EQ(Outer("r1/a/x", 1), "r1");
  EXPECT_EQ(Outer("r1/a/x", 2), "r1/a");
  EXPECT_EQ(Outer("r1/a/x", 3), "r1/a/x");
  EXPECT_EQ(Outer("r1/a/x", 99), "r1/a/x");
  EXPECT_EQ(Outer("", 3), "");
  for (const std::string& network : SmallNetworks()) {
    for (int levels = 0; levels <= 4; ++levels) {
      EXPECT_EQ(CountLevels(Outer(network, levels)), std::min(levels, CountLevels(network)));
      EXPECT_TRUE(network.starts_with(Outer(network, levels)));
    }
  }
}

// Of every two networks: the common part is an outer part of both, and no longer one is.
TEST(Network, TheCommonPartIsTheLongestOuterPartOfBoth) {
  for (const std::string& a : SmallNetworks()) {
    for (const std::string& b : SmallNetworks()) {
      const std::string_view common = CommonPart(a, b);
      const int levels = CountLevels(common);
      EXPECT_EQ(common, Outer(a, levels)) << a << " " << b;
      EXPECT_EQ(common, Outer(b, levels)) << a << " " << b;
      EXPECT_EQ(common, CommonPart(b, a));
      const bool is_longer_possible = levels < CountLevels(a) && levels < CountLevels(b) &&
                                      Outer(a, levels + 1) == Outer(b, levels + 1);
      EXPECT_FALSE(is_longer_possible) << a << " " << b;
    }
  }
  EXPECT_EQ(CommonPart("r1/a", "r10/a"), "") << "names are compared whole";
  EXPECT_EQ(CommonPart("r1/a/x", "r1/a/xy"), "r1/a");
}

}  // namespace
}  // namespace gp
