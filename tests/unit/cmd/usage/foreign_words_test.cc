#include "cmd/usage/foreign_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string Here(std::string_view path, const std::vector<std::string>& words) {
  const ForeignWord* found = FindForeignWord(path, words);
  return found == nullptr ? "" : std::string(found->here);
}

TEST(ForeignWords, TheLongestBeginningCounts) {
  EXPECT_EQ(Here("", {"scontrol", "show", "node", "n1"}), "nodes describe NODE");
  EXPECT_EQ(Here("", {"scontrol", "show", "hostnames"}),
            "jobs describe JOB, jobs hold JOB, nodes describe NODE or drain NODE");
  EXPECT_EQ(Here("", {"get", "nodes"}), "nodes list");
  EXPECT_EQ(Here("", {"get"}), "jobs list, nodes list or queues list");
}

TEST(ForeignWords, AWordBelongsToItsGroup) {
  EXPECT_EQ(Here("nodes", {"drain", "n1"}), "drain NODE");
  EXPECT_EQ(Here("queues", {"drain", "n1"}), "");
  EXPECT_EQ(Here("", {"squeueing"}), "") << "whole words";
  EXPECT_EQ(Here("", {}), "");
}

TEST(ForeignWords, FlagsHaveTheirNamesHere) {
  EXPECT_THAT(FlagsMeant("--partition"), ElementsAre("--queue"));
  EXPECT_THAT(FlagsMeant("-t"), ElementsAre("--time", "--state"));
  EXPECT_THAT(FlagsMeant("--frobnicate"), IsEmpty());
}

}  // namespace
}  // namespace gp
