#include "cmd/text/node_ranges.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(NodeRanges, NodesThatDifferInTheirNumberAreOne) {
  EXPECT_EQ(NodeRanges({}), "");
  EXPECT_EQ(NodeRanges({"n1"}), "n1");
  EXPECT_EQ(NodeRanges({"n1[0-3]", "n2[0-3]", "n4[0-3]"}), "n[1-2,4][0-3]");
  EXPECT_EQ(NodeRanges({"n3", "n1", "n2"}), "n[1-3]");
}

TEST(NodeRanges, OtherGpusAreAnotherGroup) {
  EXPECT_EQ(NodeRanges({"n1[0-3]", "n2[0-7]", "n3[0-3]"}), "n[1,3][0-3] n2[0-7]");
}

TEST(NodeRanges, LeadingZerosAreKept) {
  EXPECT_EQ(NodeRanges({"n008", "n009", "n010"}), "n[008-010]");
  EXPECT_EQ(NodeRanges({"n08", "n09"}), "n[08-09]");
  EXPECT_EQ(NodeRanges({"n9", "n10"}), "n[9-10]");
  EXPECT_EQ(NodeRanges({"n09", "n10", "n100"}), "n[09-10] n100");
}

TEST(NodeRanges, OnlyTheLastNumberCounts) {
  EXPECT_EQ(NodeRanges({"rack1-n1.site", "rack1-n2.site", "rack2-n1.site"}),
            "rack1-n[1-2].site rack2-n1.site");
  EXPECT_EQ(NodeRanges({"login", "login"}), "login login");
  EXPECT_EQ(NodeRanges({"n1234567890123456789012", "n1234567890123456789013"}),
            "n1234567890123456789012 n1234567890123456789013");
}

}  // namespace
}  // namespace gp
