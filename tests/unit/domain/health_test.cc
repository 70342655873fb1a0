#include "domain/faults/health.h"

#include <gtest/gtest.h>

#include "domain/faults/fault_policy.h"

namespace gp {
namespace {

GpuVitals Well() {
  GpuVitals vitals;
  vitals.links_active = vitals.links_total = 18;
  vitals.temperature_c = 60;
  return vitals;
}

// What is found where `change` is all that differs from a sound GPU.
template <typename Change>
std::vector<HealthFinding> Found(const Change& change) {
  GpuVitals vitals = Well();
  change(vitals);
  return Examine(vitals);
}

TEST(Examine, FindsNothingOnASoundGpu) {
  EXPECT_TRUE(Examine(Well()).empty());
  EXPECT_TRUE(Found([](GpuVitals& v) { v.links_active = v.links_total = 0; }).empty())
      << "it has no NVLinks";
  EXPECT_TRUE(Found([](GpuVitals& v) { v.advice = DriverAdvice::kNone; }).empty());
  EXPECT_TRUE(Found([](GpuVitals& v) { v.advice = DriverAdvice::kRecoverImex; }).empty())
      << "that is the fabric's";
}

TEST(Examine, TheLeastOfEachKindIsEnough) {
  const auto expect = [](const std::vector<HealthFinding>& found, HealthFinding one) {
    EXPECT_EQ(found, std::vector{one}) << Name(one.code);
  };
  expect(Found([](GpuVitals& v) { v.unread_s = 1; }), {HealthCode::kUnread, 1, 0});
  expect(Found([](GpuVitals& v) { v.links_active = 17; }), {HealthCode::kLinkDown, 17, 18});
  expect(Found([](GpuVitals& v) { v.heat = Heat::kWarm; }), {HealthCode::kWarm, 60, 0});
  expect(Found([](GpuVitals& v) { v.heat = Heat::kHot; }), {HealthCode::kHot, 60, 0});
  expect(Found([](GpuVitals& v) { v.heat = Heat::kCritical; }), {HealthCode::kCritical, 60, 0});
  expect(Found([](GpuVitals& v) { v.advice = DriverAdvice::kGpuReset; }),
         {HealthCode::kRecoveryAction, static_cast<int64_t>(DriverAdvice::kGpuReset), 0});
  expect(Found([](GpuVitals& v) { v.remap_pending = true; }), {HealthCode::kRemapPending, 0, 0});
  expect(Found([](GpuVitals& v) { v.uncorrected = 1; }), {HealthCode::kUncorrected, 1, 0});
  expect(Found([](GpuVitals& v) { v.remap_failed = true; }), {HealthCode::kRemapFailed, 0, 0});
  expect(Found([](GpuVitals& v) { v.lost = true; }), {HealthCode::kLost, 0, 0});
}

TEST(Examine, OldReadingsSayNothingOfNow) {
  const auto found = Found([](GpuVitals& v) {
    v.unread_s = 16;
    v.uncorrected = 3;
    v.links_active = 0;
  });
  EXPECT_EQ(found, (std::vector<HealthFinding>{{HealthCode::kUnread, 16, 0}}));
}

TEST(WorstOf, IsTheOneThatCallsForMost) {
  const FaultPolicy policy;
  const auto found = Found([](GpuVitals& v) {
    v.links_active = 17;
    v.heat = Heat::kHot;
    v.remap_pending = true;
  });
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(WorstOf(policy, found).code, HealthCode::kRemapPending)
      << "a reset is more than no new work";
  EXPECT_EQ(ActionOf(policy, found), HealthAction::kResetWhenIdle);
  EXPECT_EQ(ActionOf(policy, std::vector<HealthFinding>{}), HealthAction::kNone);
}

}  // namespace
}  // namespace gp
