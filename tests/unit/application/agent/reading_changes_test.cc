#include "application/agent/reading_changes.h"

#include <gtest/gtest.h>

#include <functional>

namespace gp {
namespace {

std::vector<GpuReading> Readings() {
  GpuReading reading;
  reading.health.emplace();
  reading.health->temperature_c = 60;
  reading.health->power_watts = 600;
  reading.health->utilization_percent = 90;
  reading.health->memory_used_mib = 40'000;
  reading.health->ecc.emplace();
  reading.health->processes = {{17, 40'000}};
  return {reading, reading};
}

class ReadingChanges : public testing::Test {
 protected:
  bool After(const std::function<void(GpuReading&)>& change) {
    std::vector<GpuReading> now = Readings();
    change(now[1]);
    return HaveChanged(Readings(), now);
  }
};

TEST_F(ReadingChanges, WhatMovesByItselfIsNoChange) {
  EXPECT_FALSE(After([](GpuReading&) {}));
  EXPECT_FALSE(After([](GpuReading& r) { r.health->temperature_c = 63; }));
  EXPECT_FALSE(After([](GpuReading& r) { r.health->power_watts = 575; }));
  EXPECT_FALSE(After([](GpuReading& r) { r.health->utilization_percent = 94; }));
  EXPECT_FALSE(After([](GpuReading& r) { r.health->memory_used_mib = 41'000; }));
  EXPECT_FALSE(After([](GpuReading& r) { r.health->processes[0].memory_mib = 41'000; }));
  EXPECT_FALSE(After([](GpuReading& r) { r.age_ns = 900'000'000; }));
}

TEST_F(ReadingChanges, WhatMovesByMoreIsOne) {
  EXPECT_TRUE(After([](GpuReading& r) { r.health->temperature_c = 65; }));
  EXPECT_TRUE(After([](GpuReading& r) { r.health->power_watts = 560; }));
  EXPECT_TRUE(After([](GpuReading& r) { r.health->utilization_percent = 84; }));
  EXPECT_TRUE(After([](GpuReading& r) { r.health->memory_used_mib = 37'000; }));
  EXPECT_TRUE(After([](GpuReading& r) { r.health->sm_clock_mhz = 1'980; }));
}

TEST_F(ReadingChanges, CountsErrorsAndProcessesAreChangesAlways) {
  EXPECT_TRUE(After([](GpuReading& r) { ++r.health->ecc->corrected_volatile; }));
  EXPECT_TRUE(After([](GpuReading& r) { r.health->row_remap.emplace(); }));
  EXPECT_TRUE(After([](GpuReading& r) { r.health->throttle_reasons = {"sw-power-cap"}; }));
  EXPECT_TRUE(After([](GpuReading& r) { r.health->nvlinks_active = 17; }));
  EXPECT_TRUE(After([](GpuReading& r) { r.health->lost = true; }));
  EXPECT_TRUE(After([](GpuReading& r) { r.health->processes.clear(); }));
  EXPECT_TRUE(After([](GpuReading& r) { r.health->recovery_action = RecoveryAction::kGpuReset; }));
  EXPECT_TRUE(After([](GpuReading& r) { r.error = "the driver hangs"; }));
}

TEST_F(ReadingChanges, AReadingThatBecomesStaleIsOne) {
  EXPECT_TRUE(After([](GpuReading& r) { r.age_ns = kReadingStaleAfter.ns + 1; }));
  EXPECT_TRUE(After([](GpuReading& r) { r.health.reset(); }));
}

TEST_F(ReadingChanges, TheFirstReadingsAreOne) { EXPECT_TRUE(HaveChanged({}, Readings())); }

}  // namespace
}  // namespace gp
