#include "domain/metering/gpu_split.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/rng.h"

namespace gp {
namespace {

Gpu Working() {
  Gpu gpu;
  gpu.condition = GpuCondition::kAvailable;
  return gpu;
}

std::vector<UsagePart> Split(const Gpu& gpu, const std::vector<GpuClaim>& claims = {}) {
  return SplitOf(gpu, false, false, claims);
}

TEST(SplitOf, AFreeGpuIsIdle) {
  EXPECT_EQ(Split(Working()), (std::vector<UsagePart>{{UsageKind::kIdle, {}, 1'000}}));
}

TEST(SplitOf, FourQuartersAreAWhole) {
  const std::vector<UsagePart> parts = Split(
      Working(), {{LeaseId{1}, 250}, {LeaseId{2}, 250}, {LeaseId{3}, 250}, {LeaseId{4}, 250}});
  ASSERT_EQ(parts.size(), 4u);
  for (const UsagePart& part : parts) EXPECT_EQ(part.share, 250);
}

TEST(SplitOf, TheRestOfASharedGpuIsAFragment) {
  EXPECT_EQ(Split(Working(), {{LeaseId{1}, 250}}),
            (std::vector<UsagePart>{{UsageKind::kJobs, LeaseId{1}, 250},
                                    {UsageKind::kFragment, {}, 750}}));
}

TEST(SplitOf, ClaimsThatComeToMoreAreReckonedInProportion) {
  // One has the compute, the other one the memory.
  const std::vector<UsagePart> parts =
      Split(Working(), {{LeaseId{1}, 900}, {LeaseId{2}, 900}, {LeaseId{3}, 200}});
  EXPECT_EQ(parts, (std::vector<UsagePart>{{UsageKind::kJobs, LeaseId{1}, 450},
                                           {UsageKind::kJobs, LeaseId{2}, 450},
                                           {UsageKind::kJobs, LeaseId{3}, 100}}));
}

TEST(SplitOf, WhatNobodyHasIsCountedByWhyThatIs) {
  struct Row {
    GpuCondition condition;
    bool draining, is_lost, is_drained;
    UsageKind kind;
  };
  for (const Row& row : std::initializer_list<Row>{
           {GpuCondition::kAvailable, false, false, false, UsageKind::kIdle},
           {GpuCondition::kAvailable, true, false, false, UsageKind::kMaintained},
           {GpuCondition::kAvailable, false, false, true, UsageKind::kMaintained},
           {GpuCondition::kAvailable, false, true, false, UsageKind::kFaulty},
           {GpuCondition::kAvailable, true, true, true, UsageKind::kFaulty},
           {GpuCondition::kOffline, false, false, false, UsageKind::kMaintained},
           {GpuCondition::kOffline, false, true, false, UsageKind::kFaulty},
           {GpuCondition::kUnknown, false, false, false, UsageKind::kFaulty},
           {GpuCondition::kTesting, false, false, false, UsageKind::kFaulty},
           {GpuCondition::kSuspect, false, false, false, UsageKind::kFaulty},
           {GpuCondition::kQuarantined, true, false, false, UsageKind::kFaulty},
           {GpuCondition::kResetting, false, false, false, UsageKind::kFaulty},
           {GpuCondition::kLost, false, false, false, UsageKind::kFaulty}}) {
    Gpu gpu;
    gpu.condition = row.condition;
    gpu.draining = row.draining;
    const std::vector<UsagePart> parts = SplitOf(gpu, row.is_lost, row.is_drained, {});
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].kind, row.kind)
        << Name(row.condition) << row.draining << row.is_lost << row.is_drained;
  }
}

TEST(SplitOf, AJobOnAGpuThatFailsHasItUntilItLeaves) {
  Gpu gpu;
  gpu.condition = GpuCondition::kQuarantined;
  EXPECT_EQ(
      Split(gpu, {{LeaseId{7}, 400}}),
      (std::vector<UsagePart>{{UsageKind::kJobs, LeaseId{7}, 400}, {UsageKind::kFaulty, {}, 600}}));
}

TEST(SplitOf, PartsAlwaysComeToAWhole) {
  Rng rng(19);
  for (int i = 0; i < 50'000; ++i) {
    Gpu gpu;
    gpu.condition = static_cast<GpuCondition>(rng.Below(8));
    std::vector<GpuClaim> claims;
    for (uint64_t n = rng.Below(12); n > 0; --n)
      claims.push_back({LeaseId{n}, static_cast<int>(rng.Below(1'001))});
    const std::vector<UsagePart> parts = SplitOf(gpu, rng.Below(2) == 0, rng.Below(2) == 0, claims);
    int sum = 0;
    for (const UsagePart& part : parts) {
      EXPECT_GT(part.share, 0);
      sum += part.share;
    }
    ASSERT_EQ(sum, kWholeShare);
  }
}

TEST(ScaledShares, NobodyPaysForMoreThanTheyHold) {
  Rng rng(23);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<GpuClaim> claims;
    for (uint64_t n = 1 + rng.Below(8); n > 0; --n)
      claims.push_back({LeaseId{n}, static_cast<int>(rng.Below(1'001))});
    const std::vector<int> shares = ScaledShares(claims);
    for (size_t k = 0; k < claims.size(); ++k) ASSERT_LE(shares[k], claims[k].share);
  }
}

}  // namespace
}  // namespace gp
