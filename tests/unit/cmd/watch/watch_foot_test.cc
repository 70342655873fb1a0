#include "cmd/watch/watch_foot.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(WatchFoot, EachViewHasTheKeysOfItsRows) {
  EXPECT_EQ(KeysText(WatchView::kNodes, 200),
            "Enter details  d describe  D drain  / filter  s sort  r reverse  f freeze  ? help  "
            "q quit");
  EXPECT_EQ(KeysText(WatchView::kQueue, 80),
            "Enter details  e explain  d describe  h hold  c cancel  / filter  ? help  q quit");
  EXPECT_EQ(KeysText(WatchView::kJobs, 80),
            "Enter details  l logs  d describe  c cancel  / filter  s sort  ? help  q quit");
  EXPECT_EQ(KeysText(WatchView::kGpus, 80),
            "Enter details  l logs  c cancel  D drain  / filter  s sort  ? help  q quit");
}

TEST(WatchFoot, WithLessRoomWholeKeysGoAndHelpAndQuitStayLongest) {
  const WatchView view = WatchView::kGpus;
  EXPECT_EQ(KeysText(view, 73),
            "Enter details  l logs  c cancel  D drain  / filter  ? help  q quit");
  EXPECT_EQ(KeysText(view, 29), "Enter details  ? help  q quit");
  EXPECT_EQ(KeysText(view, 28), "? help  q quit");
  EXPECT_EQ(KeysText(view, 13), "q quit");
  EXPECT_EQ(KeysText(view, 5), "");
  EXPECT_EQ(KeysText(view, 0), "");
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
