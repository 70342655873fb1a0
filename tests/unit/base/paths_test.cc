#include "base/paths.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

using Words = std::vector<std::string_view>;

TEST(Paths, HaveWordsBetweenTheirSlashes) {
  EXPECT_EQ(PathWords("/a//b c/"), (Words{"a", "b c"}));
  EXPECT_EQ(PathWords("/"), Words{});
  EXPECT_EQ(PathWords(""), Words{});
}

TEST(Paths, LieBelowADirectoryByTheirWords) {
  EXPECT_EQ(WordsBelow("/c", "/c/x y/z/"), (Words{"x y", "z"}));
  EXPECT_EQ(WordsBelow("/c/", "/c//x"), Words{"x"});
  EXPECT_EQ(WordsBelow("/", "/x"), Words{"x"});
  for (const char* path :
       {"/c", "/c/", "/cc/x", "/d/c/x", "/c/../etc", "/c/x/../../etc", "/c/.", ""})
    EXPECT_EQ(WordsBelow("/c", path), Words{}) << path;
  EXPECT_EQ(WordsBelow("", "/x"), Words{});
  EXPECT_EQ(WordsBelow("/", "/"), Words{});
}

TEST(Paths, AreAtOrBelowADirectory) {
  for (const char* path : {"/c/x y/z/", "/c", "/c/", "//c//x"})
    EXPECT_TRUE(IsAtOrBelow("/c/", path)) << path;
  EXPECT_TRUE(IsAtOrBelow("/", "/x"));
  for (const char* path : {"/cc", "/", "/d/c", "/c/../etc", ""})
    EXPECT_FALSE(IsAtOrBelow("/c", path)) << path;
  EXPECT_FALSE(IsAtOrBelow("", "/x"));
  EXPECT_FALSE(IsAtOrBelow("/c/../d", "/c/../d/x")) << "nobody can tell";
}

TEST(Paths, ArePlainWithoutWordsThatSayNothing) {
  EXPECT_EQ(PlainPath("/a//./b/"), "/a/b");
  EXPECT_EQ(PlainPath("/./"), "/");
  EXPECT_EQ(PlainPath("/a.b/.c"), "/a.b/.c");
}

TEST(Paths, OverlapWhereOneLiesInTheOther) {
  EXPECT_TRUE(PathsOverlap("/c/a", "/c//a/"));
  EXPECT_TRUE(PathsOverlap("/c/a", "/c/a/b"));
  EXPECT_TRUE(PathsOverlap("/c/a/b", "/c/a"));
  EXPECT_FALSE(PathsOverlap("/c/a", "/c/ab"));
  EXPECT_FALSE(PathsOverlap("/c/a", "/c/b"));
  EXPECT_TRUE(PathsOverlap("/c/x/../b", "/c/a")) << "nobody can tell";
}

TEST(Paths, AreInTmp) {
  EXPECT_TRUE(IsInTmp("/tmp"));
  EXPECT_TRUE(IsInTmp("/tmp/gp"));
  EXPECT_FALSE(IsInTmp("/tmpx"));
  EXPECT_FALSE(IsInTmp("/var/tmp/gp"));
  EXPECT_FALSE(IsInTmp(""));
}

}  // namespace
}  // namespace gp
