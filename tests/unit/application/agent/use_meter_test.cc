#include "application/agent/use_meter.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr Instant kNow{5'000'000'000};
constexpr LeaseId kLease{7};

Lease LeaseOfTwoGpus(GpuMode mode = GpuMode::kWhole) {
  Lease lease;
  lease.id = kLease;
  lease.mode = mode;
  lease.gpus = {{.gpu = 0}, {.gpu = 2}};
  return lease;
}

GpuReading Reading(int percent, int64_t memory_mib, int64_t age_ms = 500) {
  GpuReading reading;
  reading.health.emplace();
  reading.health->utilization_percent = percent;
  reading.health->memory_used_mib = memory_mib;
  reading.age_ns = age_ms * 1'000'000;
  return reading;
}

class UseMeterTest : public testing::Test {
 protected:
  void Look(int64_t at_ms, HostUse host = {}) {
    meter_.Look(lease_, host, readings_, at_ms * 1'000'000, kNow);
  }

  Lease lease_ = LeaseOfTwoGpus();
  std::vector<GpuReading> readings_{Reading(50, 100), Reading(99, 1), Reading(0, 300)};
  UseMeter meter_;
};

TEST_F(UseMeterTest, CountsFromTheFirstLookOn) {
  Look(1'000, {500, 40});
  EXPECT_EQ(meter_.Of(kLease), nullptr);
  Look(3'000, {2'500, 60});
  readings_[2] = Reading(10, 200);
  Look(4'000, {2'600, 50});
  EXPECT_EQ(*meter_.Of(kLease),
            (RankUse{kNow, {{0, 3'000, 1'500, 100}, {2, 3'000, 100, 300}}, 2'100, 3'000, 60}));
}

TEST_F(UseMeterTest, OldAndAbsentReadingsAreNoZeros) {
  Look(1'000);
  readings_[0] = Reading(50, 100, 3'001);
  readings_[2].health.reset();
  Look(2'000);
  EXPECT_EQ(meter_.Of(kLease), nullptr);
  readings_[0] = Reading(50, 100);
  Look(2'500);
  EXPECT_EQ(
      *meter_.Of(kLease),
      (RankUse{kNow, {{0, 500, 250, 100}, {2, 0, 0, GpuUse::kNotSeen}}, 0, 0, GpuUse::kNotSeen}));
}

TEST_F(UseMeterTest, WhatWasReadBeforeTheLeaseIsOfTheOneBefore) {
  readings_[0] = Reading(100, 70'000, 900);
  readings_[2] = Reading(10, 5, 100);
  Look(0);
  Look(800);
  EXPECT_EQ(meter_.Of(kLease)->gpus,
            (std::vector<GpuUse>{{0, 0, 0, GpuUse::kNotSeen}, {2, 800, 80, 5}}));
}

TEST_F(UseMeterTest, IdleIsWhatWasSeenToRunNoKernelOnAnyGpu) {
  const auto idle_for = [&](int64_t at_ms) { return meter_.IdleFor(kLease, at_ms * 1'000'000); };
  Look(0);
  EXPECT_EQ(idle_for(500), std::nullopt);  // nothing was measured
  Look(1'000);
  EXPECT_EQ(idle_for(1'000), Duration{});
  readings_[0] = readings_[2] = Reading(0, 100);
  Look(2'000);
  Look(5'000);
  EXPECT_EQ(idle_for(5'500), Duration::Milliseconds(4'500));
  readings_[2] = Reading(1, 100);
  Look(6'000);
  EXPECT_EQ(idle_for(6'000), Duration{});
  readings_[2] = Reading(0, 100);
  Look(7'000);
  readings_[0].health.reset();  // what is not known may be busy
  Look(8'000);
  EXPECT_EQ(idle_for(8'000), Duration{});
}

TEST_F(UseMeterTest, PartsOfGpusAreNeverSeenToBeIdle) {
  lease_ = LeaseOfTwoGpus(GpuMode::kTimeslice);
  Look(0);
  Look(1'000);
  EXPECT_EQ(meter_.IdleFor(kLease, 2'000'000'000), std::nullopt);
}

TEST_F(UseMeterTest, ATimeThatWasSleptThroughIsNotMeasured) {
  Look(0);
  Look(1'000);
  Look(60'000);
  Look(61'000);
  EXPECT_EQ(meter_.Of(kLease)->gpus[0], (GpuUse{0, 2'000, 1'000, 100}));
}

TEST_F(UseMeterTest, OfAPartOfAGpuTheDriverSaysNothing) {
  lease_ = LeaseOfTwoGpus(GpuMode::kMps);
  Look(0, {0, 0});
  Look(2'000, {1'000, 5});
  EXPECT_EQ(
      *meter_.Of(kLease),
      (RankUse{kNow, {{0, 0, 0, GpuUse::kNotSeen}, {2, 0, 0, GpuUse::kNotSeen}}, 1'000, 2'000, 5}));
}

TEST_F(UseMeterTest, ForgetsWhoIsGone) {
  Look(0);
  Look(1'000);
  meter_.Keep({kLease});
  EXPECT_NE(meter_.Of(kLease), nullptr);
  meter_.Keep({});
  EXPECT_EQ(meter_.Of(kLease), nullptr);
}

}  // namespace
}  // namespace gp
