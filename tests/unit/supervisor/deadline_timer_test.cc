#include "supervisor/deadline_timer.h"

#include <gtest/gtest.h>
#include <poll.h>

namespace gp {
namespace {

constexpr int64_t kHourNs = 3'600'000'000'000;

class DeadlineTimerTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(timer_.Open().has_value()); }
  bool Fires(int patience_ms) const {
    pollfd event = {.fd = timer_.readable(), .events = POLLIN, .revents = 0};
    return poll(&event, 1, patience_ms) == 1;
  }

  DeadlineTimer timer_;
};

TEST_F(DeadlineTimerTest, DoesNotFireUnset) {
  EXPECT_FALSE(Fires(0));
  timer_.Set(kNever);
  EXPECT_FALSE(Fires(0));
}

TEST_F(DeadlineTimerTest, FiresAtItsTimeAndNotBefore) {
  const int64_t at = BootNs() + 20'000'000;
  timer_.Set(at);
  ASSERT_TRUE(Fires(20'000));
  EXPECT_GE(BootNs(), at);
}

TEST_F(DeadlineTimerTest, ATimeThatIsOverFiresAtOnce) {
  for (const int64_t at : {BootNs(), int64_t{1}, int64_t{0}, int64_t{-5}, INT64_MIN}) {
    timer_.Set(at);
    EXPECT_TRUE(Fires(20'000)) << at;
    timer_.Acknowledge();
    EXPECT_FALSE(Fires(0)) << at;
  }
}

TEST_F(DeadlineTimerTest, TheSameTimeAgainFiresAgainOnceItWasAcknowledged) {
  const int64_t at = BootNs();
  timer_.Set(at);
  ASSERT_TRUE(Fires(20'000));
  timer_.Acknowledge();
  ASSERT_FALSE(Fires(0));
  timer_.Set(at);
  EXPECT_TRUE(Fires(20'000));
}

TEST_F(DeadlineTimerTest, ALaterTimeAndNoneTakeTheAlarmBack) {
  timer_.Set(1);
  ASSERT_TRUE(Fires(20'000));
  timer_.Set(BootNs() + kHourNs);
  EXPECT_FALSE(Fires(0));
  timer_.Set(1);
  ASSERT_TRUE(Fires(20'000));
  timer_.Set(kNever);
  EXPECT_FALSE(Fires(0));
}

TEST_F(DeadlineTimerTest, AcknowledgingNothingKeepsTheAlarm) {
  const int64_t at = BootNs() + 20'000'000;
  timer_.Set(at);
  timer_.Acknowledge();
  timer_.Set(at);
  EXPECT_TRUE(Fires(20'000));
}

TEST(DeadlineTimerClocks, AreTwoClocks) {
  EXPECT_GT(WallNs(), int64_t{1'600'000'000} * 1'000'000'000);  // after 2020
  EXPECT_LT(BootNs(), WallNs());
  const int64_t before = BootNs();
  EXPECT_LE(before, BootNs());
}

}  // namespace
}  // namespace gp
