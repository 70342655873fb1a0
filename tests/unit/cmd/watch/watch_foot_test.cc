#include "cmd/watch/watch_foot.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(WatchFoot, AllKeysWhereThereIsRoom) {
  EXPECT_EQ(KeysText(80), "Enter details  / filter  s sort  r reverse  f freeze  ? help  q quit");
  EXPECT_EQ(KeysText(68), KeysText(80));
}

TEST(WatchFoot, WithLessRoomWholeKeysGoAndHelpAndQuitStayLongest) {
  EXPECT_EQ(KeysText(67), "Enter details  / filter  s sort  r reverse  ? help  q quit");
  EXPECT_EQ(KeysText(29), "Enter details  ? help  q quit");
  EXPECT_EQ(KeysText(28), "? help  q quit");
  EXPECT_EQ(KeysText(13), "q quit");
  EXPECT_EQ(KeysText(5), "");
  EXPECT_EQ(KeysText(0), "");
}

TEST(WatchFoot, ThePlaceStandsOnTheRightAndIsNeverWrittenOver) {
  EXPECT_EQ(FootText("q quit", "1-5 of 16", 20), "q quit     1-5 of 16");
  EXPECT_EQ(FootText("q quit", "", 8), "q quit  ");
  const std::string cut = FootText("type what rows must contain", "1-5 of 16", 20);
  EXPECT_TRUE(cut.starts_with("type")) << cut;
  EXPECT_TRUE(cut.ends_with("  1-5 of 16")) << cut;
  for (int width = 0; width < 12; ++width)
    EXPECT_TRUE(FootText("q quit", "1-5 of 16", width).ends_with("1-5 of 16")) << width;
}

}  // namespace
}  // namespace gp
