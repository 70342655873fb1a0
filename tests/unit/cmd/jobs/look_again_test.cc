#include "cmd/jobs/look_again.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(LookAgain, PausesGrowWithTheTimeWaited) {
  LookAgain look_again;
  int waited_ms = look_again.NextPauseMs();
  EXPECT_EQ(waited_ms, 20);
  for (int looks = 0; waited_ms < 60'000; ++looks) {
    const int pause_ms = look_again.NextPauseMs();
    EXPECT_LE(pause_ms, 20 + waited_ms / 8);
    EXPECT_LE(pause_ms, 1'000);
    waited_ms += pause_ms;
  }
}

TEST(LookAgain, AnHourTakesNoMoreThanALookASecond) {
  LookAgain look_again;
  int looks = 0;
  for (int waited_ms = 0; waited_ms < 3'600'000; waited_ms += look_again.NextPauseMs()) ++looks;
  EXPECT_LT(looks, 3'650);
}

}  // namespace
}  // namespace gp
