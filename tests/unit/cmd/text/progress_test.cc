#include "cmd/text/progress.h"

#include <gtest/gtest.h>

#include <vector>

namespace gp {
namespace {

class ProgressTest : public testing::Test {
 protected:
  Progress::Terminal Screen() {
    return {[this] { return now_ms_ * 1'000'000; },
            [this](const std::string& text) { written_.push_back(text); }};
  }
  void Show(Progress& progress, int64_t at_ms, double done) {
    now_ms_ = at_ms;
    progress.Show(done, [this] {
      ++asked_;
      return std::string("simulated day 12 of 31");
    });
  }

  int64_t now_ms_ = 5'000;
  int asked_ = 0;
  std::vector<std::string> written_;
};

TEST_F(ProgressTest, ShortWorkShowsNothing) {
  {
    Progress progress(Screen());
    Show(progress, 5'100, 0.1);
    Show(progress, 5'999, 0.9);
  }
  EXPECT_TRUE(written_.empty());
  EXPECT_EQ(asked_, 0);
}

TEST_F(ProgressTest, OneLineIsWrittenAgainInPlaceAndThenGone) {
  {
    Progress progress(Screen());
    Show(progress, 7'000, 0.38);
    EXPECT_EQ(written_,
              (std::vector<std::string>{"\rsimulated day 12 of 31 · 38 % · about 3 s left\x1b[K"}));
    Show(progress, 7'500, 0.5);
  }
  ASSERT_EQ(written_.size(), 3u);
  EXPECT_EQ(written_[1], "\rsimulated day 12 of 31 · 50 % · about 3 s left\x1b[K");
  EXPECT_EQ(written_[2], "\r\x1b[K");
}

TEST_F(ProgressTest, AtMostFiveTimesASecond) {
  Progress progress(Screen());
  for (int64_t ms = 5'000; ms < 8'000; ms += 10) Show(progress, ms, 0.5);
  EXPECT_EQ(written_.size(), 10u) << "two seconds of three";
  EXPECT_EQ(asked_, 10);
}

TEST_F(ProgressTest, EachWorkHasAPaceOfItsOwn) {
  Progress progress(Screen());
  Show(progress, 65'000, 0.25);
  now_ms_ = 100'000;
  progress.Begin("what if");
  Show(progress, 101'000, 0.1);
  EXPECT_EQ(written_.front(), "\rsimulated day 12 of 31 · 25 % · about 3 min left\x1b[K");
  EXPECT_EQ(written_.back(), "\rwhat if: simulated day 12 of 31 · 10 % · about 9 s left\x1b[K");
}

TEST_F(ProgressTest, ThePaceIsToldWhenThereIsOne) {
  Progress progress(Screen());
  Show(progress, 7'000, 0.001);
  EXPECT_EQ(written_.back(), "\rsimulated day 12 of 31 · 0 %\x1b[K");
  Show(progress, 8'000, 7);
  EXPECT_EQ(written_.back(), "\rsimulated day 12 of 31 · 100 %\x1b[K");
}

TEST_F(ProgressTest, WithoutATerminalNobodyIsAsked) {
  Progress progress({});
  Show(progress, 60'000, 0.5);
  progress.Begin("more");
  progress.Clear();
  EXPECT_EQ(asked_, 0);
}

}  // namespace
}  // namespace gp
