#include "domain/node/heat.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

// An H100's limits.
HeatReading At(int temperature_c, bool is_slowed = false) {
  return {temperature_c, 87, 92, is_slowed};
}

class HeatLadderTest : public testing::Test {
 protected:
  Heat Read(const HeatReading& reading, int seconds) {
    return ladder_.Read(0, reading, Instant{} + Duration::Seconds(1'000 + seconds));
  }
  HeatLadder ladder_;
};

TEST_F(HeatLadderTest, NearItsLimitItIsWarmUntilItIsWellBelow) {
  EXPECT_EQ(Read(At(84), 0), Heat::kCool);
  EXPECT_EQ(Read(At(85), 1), Heat::kWarm);
  EXPECT_EQ(Read(At(81), 2), Heat::kWarm);  // no swinging
  EXPECT_EQ(Read(At(80), 3), Heat::kCool);
  EXPECT_EQ(Read(At(84), 4), Heat::kCool);
}

TEST_F(HeatLadderTest, SlowedDownForLongItIsHotUntilItIsCool) {
  EXPECT_EQ(Read(At(88, true), 0), Heat::kWarm);
  EXPECT_EQ(Read(At(88, true), 29), Heat::kWarm);
  EXPECT_EQ(Read(At(88, true), 30), Heat::kHot);
  EXPECT_EQ(Read(At(83), 31), Heat::kHot);
  EXPECT_EQ(Read(At(79, true), 32), Heat::kHot);
  EXPECT_EQ(Read(At(79), 33), Heat::kCool);
}

TEST_F(HeatLadderTest, ABreakRestartsTheTime) {
  EXPECT_EQ(Read(At(86, true), 0), Heat::kWarm);
  EXPECT_EQ(Read(At(86, false), 20), Heat::kWarm);
  EXPECT_EQ(Read(At(86, true), 40), Heat::kWarm);
  EXPECT_EQ(Read(At(86, true), 69), Heat::kWarm);
  EXPECT_EQ(Read(At(86, true), 70), Heat::kHot);
}

TEST_F(HeatLadderTest, NearItsShutdownItIsCriticalAtOnce) {
  EXPECT_EQ(Read(At(90), 0), Heat::kWarm);
  EXPECT_EQ(Read(At(91), 1), Heat::kCritical);
  EXPECT_EQ(ladder_.Of(0), Heat::kCritical);
  EXPECT_EQ(ladder_.Of(1), Heat::kCool);
}

TEST_F(HeatLadderTest, WhereTheDriverTellsNoLimitsThereIsOne) {
  EXPECT_EQ(Read({82, {}, {}, false}, 0), Heat::kCool);
  EXPECT_EQ(Read({83, {}, {}, false}, 1), Heat::kWarm);
  EXPECT_EQ(Read({200, {}, {}, false}, 2), Heat::kWarm);  // nobody says when it turns itself off
}

TEST_F(HeatLadderTest, WhatIsNotReadChangesNothing) {
  EXPECT_EQ(Read(At(86), 0), Heat::kWarm);
  EXPECT_EQ(Read({{}, 87, 92, true}, 100), Heat::kWarm);
}

}  // namespace
}  // namespace gp
