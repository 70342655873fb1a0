#include "supervisor/process/process_title.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

class ProcessTitleTest : public ::testing::Test {
 protected:
  void SetUp() override { KeepTitle(kept_.data(), 12); }
  void TearDown() override { KeepTitle(nullptr, 0); }
  // What the kernel would show: the kept memory, without what lies behind it.
  std::string Shown() const { return kept_.substr(0, 12); }

  std::string kept_ = "/bin/tool -x|behind";
};

TEST_F(ProcessTitleTest, ShowsTheWordsAsArguments) {
  SetTitle({"gp", "j1-0"});
  EXPECT_EQ(Shown(), std::string("gp\0j1-0\0\0\0\0\0", 12));
  EXPECT_EQ(kept_.substr(12), "|behind");
}

TEST_F(ProcessTitleTest, AShorterTitleLeavesNothingOfTheOneBefore) {
  SetTitle({"a-long-one"});
  SetTitle({"b"});
  EXPECT_EQ(Shown(), std::string("b\0\0\0\0\0\0\0\0\0\0\0", 12));
}

TEST_F(ProcessTitleTest, IsCutWhereTheMemoryEnds) {
  SetTitle({"gpu-platform-supervisor", "j1"});
  EXPECT_EQ(Shown(), "gpu-platform");
  EXPECT_EQ(kept_.substr(12), "|behind");
}

TEST(ProcessTitle, WithoutMemoryNothingIsSet) {
  KeepTitle(nullptr, 0);
  SetTitle({"gpu-platform-supervisor"});
}

}  // namespace
}  // namespace gp
