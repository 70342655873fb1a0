#include "application/agent/staging_rates.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr int64_t kMiB = 1 << 20;

class Rates : public testing::Test {
 protected:
  // Seconds that are left of 100 MiB.
  int64_t LeftOf(int64_t mib, int64_t at_ms, const std::string& what = "s3://a/b") {
    std::vector<LeaseProgress> progress(1);
    progress[0].lease = LeaseId{7};
    progress[0].staging = {.what = what, .bytes = mib * kMiB, .bytes_total = 100 * kMiB};
    rates_.AddTimeLeft(progress, at_ms * 1'000'000);
    return progress[0].staging.left.ns / 1'000'000'000;
  }
  StagingRates rates_;
};

TEST_F(Rates, ThePresentRateTellsHowLongItTakes) {
  EXPECT_EQ(LeftOf(0, 1'000), 0);
  EXPECT_EQ(LeftOf(2, 2'000), 0) << "a second says too little";
  EXPECT_EQ(LeftOf(4, 3'000), 49);   // 96 MiB at 2 MiB/s, and what is not a whole second
  EXPECT_EQ(LeftOf(100, 4'000), 0);  // nothing is left
}

TEST_F(Rates, WhatWasHalfAMinuteAgoDoesNotCount) {
  for (int64_t second = 0; second < 40; ++second) LeftOf(second, second * 1'000);
  for (int64_t second = 40; second < 80; ++second) LeftOf(39 + (second - 39) / 2, second * 1'000);
  EXPECT_NEAR(static_cast<double>(LeftOf(59, 80'000)), 82, 4);  // 41 MiB at 1/2 MiB/s
}

TEST_F(Rates, WhatStandsStillHasNoTime) {
  LeftOf(1, 0);
  EXPECT_GT(LeftOf(3, 2'000), 0);
  for (int64_t second = 3; second < 40; ++second) LeftOf(3, second * 1'000);
  EXPECT_EQ(LeftOf(3, 40'000), 0);
}

TEST_F(Rates, SomethingElseAndWhatBeginsAgainAreMeasuredAnew) {
  LeftOf(0, 0);
  EXPECT_GT(LeftOf(50, 2'000), 0);
  EXPECT_EQ(LeftOf(60, 3'000, "s3://a/c"), 0);
  EXPECT_GT(LeftOf(70, 5'000, "s3://a/c"), 0);
  EXPECT_EQ(LeftOf(1, 6'000, "s3://a/c"), 0);
}

TEST_F(Rates, ALeaseThatIsGoneIsForgotten) {
  LeftOf(0, 0);
  std::vector<LeaseProgress> none;
  rates_.AddTimeLeft(none, 1);
  EXPECT_EQ(LeftOf(50, 2'000), 0);
}

TEST_F(Rates, WithoutASizeNothingIsKnown) {
  std::vector<LeaseProgress> progress(1);
  for (int64_t second = 0; second < 5; ++second) {
    progress[0].staging = {.what = "s3://a/b", .bytes = second};
    rates_.AddTimeLeft(progress, second * 1'000'000'000);
    EXPECT_EQ(progress[0].staging.left.ns, 0);
  }
}

}  // namespace
}  // namespace gp
