#include "cmd/jobs/log_tail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LogTail, TheLastLinesOfTheText) {
  EXPECT_THAT(LastLines({"a\nb\nc\n"}, 2), ElementsAre("b", "c"));
  EXPECT_THAT(LastLines({"a\nunfinished"}, 2), ElementsAre("a", "unfinished"));
  EXPECT_THAT(LastLines({""}, 2), IsEmpty());
}

TEST(LogTail, ALineThatBeginsBeforeTheTailIsLeftOut) {
  EXPECT_THAT(LastLines({"rt of a line\nwhole\n", 7}, 9), ElementsAre("whole"));
  EXPECT_THAT(LastLines({"one endless line", 7}, 9), ElementsAre("one endless line"));
}

TEST(LogTail, LinesAreAsATerminalLeavesThem) {
  EXPECT_THAT(LastLines({" 10%\r 20%\r\n"}, 9), ElementsAre(" 20%"));
  EXPECT_THAT(LastLines({"a\tb\n"}, 9), ElementsAre("a       b"));
  EXPECT_THAT(LastLines({"\x1b[1;31mred\x1b[0m\n\x1b]0;title\aand\x1b]8;;x\x1b\\link\x1b[2"}, 9),
              ElementsAre("red", "andlink"));
}

}  // namespace
}  // namespace gp
