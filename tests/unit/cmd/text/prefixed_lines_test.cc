#include "cmd/text/prefixed_lines.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(PrefixedLines, EachLineHasThePrefixHoweverItArrives) {
  PrefixedLines lines("3| ");
  EXPECT_EQ(lines.Take("a\nb"), "3| a\n");
  EXPECT_EQ(lines.Take("c"), "");
  EXPECT_EQ(lines.Take("d\n\ne\n"), "3| bcd\n3| \n3| e\n");
  EXPECT_EQ(lines.Rest(), "");
}

TEST(PrefixedLines, AnUnfinishedLineIsTheRest) {
  PrefixedLines lines("3| ");
  EXPECT_EQ(lines.Take("half"), "");
  EXPECT_EQ(lines.Rest(), "3| half\n");
  EXPECT_EQ(lines.Rest(), "");
}

}  // namespace
}  // namespace gp
