#include "supervisor/records/log_times.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/scratch.h"

namespace gp {
namespace {

constexpr Instant At(int64_t milliseconds) { return {milliseconds * 1'000'000}; }

class LogTimesTest : public ::testing::Test {
 protected:
  int64_t Offset(int64_t milliseconds) const {
    const auto offset = OffsetAt(log_, At(milliseconds));
    EXPECT_TRUE(offset.has_value());
    return offset.value_or(-1);
  }
  int64_t Marks() const {
    return scratch_.Has("0.out.times")
               ? static_cast<int64_t>(std::filesystem::file_size(LogTimesPath(log_))) / 16
               : 0;
  }

  const Scratch scratch_;
  const std::string log_ = scratch_.In("0.out");
  LogTimesWriter times_{log_, geteuid()};
};

TEST_F(LogTimesTest, AnOutputOfOneMomentNeedsNoFile) {
  times_.Note(At(1'000), 0);
  times_.Note(At(1'999), 10);
  EXPECT_FALSE(scratch_.Has("0.out.times"));
  EXPECT_EQ(Offset(500), 0);
  EXPECT_EQ(Offset(5'000), 0);
}

TEST_F(LogTimesTest, FindsWhereTheOutputSinceAMomentBegins) {
  times_.Note(At(1'000), 0);
  times_.Note(At(1'500), 5);  // less than a second after the mark: none
  times_.Note(At(2'000), 10);
  times_.Note(At(60'000), 30);
  EXPECT_EQ(Marks(), 3);
  EXPECT_EQ(Offset(0), 0);
  EXPECT_EQ(Offset(1'999), 0);
  EXPECT_EQ(Offset(2'000), 10);
  EXPECT_EQ(Offset(2'999), 10);
  EXPECT_EQ(Offset(3'000), 30) << "what follows a mark was written within a second";
  EXPECT_EQ(Offset(59'999), 30);
  EXPECT_EQ(Offset(60'000), 30);
  EXPECT_EQ(Offset(1'000'000), 30);
}

TEST_F(LogTimesTest, AnyMomentOfMany) {
  for (int64_t i = 0; i < 1'000; ++i) times_.Note(At(1'000 * (i + 1)), 7 * i);
  for (int64_t i = 0; i < 1'000; ++i) EXPECT_EQ(Offset(1'000 * (i + 1) + 1), 7 * i) << i;
}

TEST_F(LogTimesTest, MarksOfALongOutputAreHalfAsFrequent) {
  constexpr int64_t kDayS = 86'400;
  for (int64_t second = 0; second < kDayS; ++second) times_.Note(At(1'000 * second), second);
  // 16,384 at one second, as many at two, the rest at four
  EXPECT_EQ(Marks(), 2 * 16'384 + (kDayS - 3 * 16'384 + 3) / 4);
  for (const int64_t second : {100L, 20'000L, kDayS - 1}) {
    EXPECT_LE(Offset(1'000 * second), second);
    EXPECT_GT(Offset(1'000 * second), second - 4);
  }
}

TEST_F(LogTimesTest, AClockThatIsSetBackHidesNothing) {
  times_.Note(At(10'000), 0);
  times_.Note(At(11'000), 10);
  times_.Note(At(5'000), 20);
  EXPECT_EQ(Marks(), 2);
  EXPECT_EQ(Offset(5'000), 0);
  EXPECT_EQ(Offset(11'500), 10);
}

TEST_F(LogTimesTest, OnlyTheOwnerCanReadThem) {
  times_.Note(At(1'000), 0);
  times_.Note(At(2'000), 1);
  struct stat facts;
  ASSERT_EQ(stat(LogTimesPath(log_).c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST_F(LogTimesTest, WhatCannotBeWrittenIsLeftOut) {
  std::filesystem::create_directory(LogTimesPath(log_));
  times_.Note(At(1'000), 0);
  times_.Note(At(2'000), 1);
  times_.Note(At(3'000), 2);
  EXPECT_FALSE(OffsetAt(log_, At(2'000)).has_value());  // a directory has no marks
}

TEST_F(LogTimesTest, AHoleHidesNothing) {
  times_.Note(At(10'000), 0);
  times_.Note(At(11'000), 100);
  times_.Note(At(12'000), 150);
  times_.Note(At(13'000), 200);
  const std::string marks = scratch_.Read("0.out.times");
  scratch_.Write("0.out.times", marks.substr(0, 32) + std::string(16, '\0') + marks.substr(48));
  EXPECT_EQ(Offset(10'500), 0);
  EXPECT_LE(Offset(11'500), 100);
  EXPECT_LE(Offset(12'500), 150);
  EXPECT_EQ(Offset(13'000), 200);
}

TEST_F(LogTimesTest, ALinkIsNotFollowed) {
  scratch_.Write("theirs", "untouched");
  std::filesystem::create_symlink(scratch_.In("theirs"), LogTimesPath(log_));
  times_.Note(At(1'000), 0);
  times_.Note(At(2'000), 1);
  EXPECT_EQ(scratch_.Read("theirs"), "untouched");
  EXPECT_FALSE(OffsetAt(log_, At(2'000)).has_value());
}

}  // namespace
}  // namespace gp
