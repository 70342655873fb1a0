#include "domain/model/time_line.h"

#include <gtest/gtest.h>

#include "domain/model/jobs/job_spec.h"

namespace gp {
namespace {

TEST(TimeLine, InstantAndWallClockDifferByItsOffset) {
  const TimeLine line{.wall = Duration::Seconds(-5)};
  EXPECT_EQ(WallOf(line, Instant{} + Duration::Seconds(100)), Instant{} + Duration::Seconds(95));
  EXPECT_EQ(InstantOf(line, Instant{} + Duration::Seconds(95)), Instant{} + Duration::Seconds(100));
}

TEST(TimeLine, OneIsComputedBackFromTheOther) {
  for (const int64_t wall :
       {int64_t{0}, int64_t{-86'400'000'000'000}, int64_t{3'600'000'000'000}}) {
    const TimeLine line{.wall = Duration{wall}};
    for (const int64_t at : {int64_t{1}, int64_t{1'700'000'000'000'000'000}, kNever.ns - 1}) {
      if (wall > 0 && at > kNever.ns - wall) continue;
      EXPECT_EQ(InstantOf(line, WallOf(line, Instant{at})), Instant{at}) << wall << " " << at;
    }
  }
}

TEST(TimeLine, NoTimeAndNeverStayAsTheyAre) {
  const TimeLine line{.wall = Duration::Minutes(7)};
  for (const Instant at : {Instant{}, kNever}) {
    EXPECT_EQ(WallOf(line, at), at);
    EXPECT_EQ(InstantOf(line, at), at);
  }
}

}  // namespace
}  // namespace gp
