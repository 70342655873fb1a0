// What discovery makes of GPUs and of a driver that fail while they are asked.

#include <gtest/gtest.h>

#include <cstdlib>

#include "adapters/outbound/nvml/nvml_driver.h"

namespace gp {
namespace {

class OddDriver : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("TEST_NVML_UNLOADED");
    auto driver = NvmlDriver::Open(GP_BINARY_DIR "/test_drivers/libtest_driver_odd.so");
    ASSERT_TRUE(driver.has_value()) << driver.error().message;
    driver_ = std::move(*driver);
  }
  void TearDown() override { unsetenv("TEST_NVML_UNLOADED"); }

  std::unique_ptr<NvmlDriver> driver_;
};

TEST_F(OddDriver, LeavesOutAGpuWithoutUuid) {
  const auto inventory = driver_->Inventory();
  ASSERT_TRUE(inventory.has_value()) << inventory.error().message;
  ASSERT_EQ(inventory->gpus.size(), 2u);
  EXPECT_EQ(inventory->gpus[1].uuid, "GPU-1");
  EXPECT_EQ(inventory->warnings.back(), "GPU 2: left out: the driver reports no UUID");
}

// The driver aborts when the lost GPU is asked for its load.
TEST_F(OddDriver, AsksALostGpuNothingMoreAndKeepsNoStaleReading) {
  const auto health = driver_->Health();
  ASSERT_TRUE(health.has_value()) << health.error().message;
  ASSERT_EQ(health->size(), 2u);
  EXPECT_TRUE((*health)[0].lost);
  EXPECT_EQ((*health)[0].temperature_c, std::nullopt);
  EXPECT_FALSE((*health)[1].lost);
  EXPECT_EQ((*health)[1].temperature_c, 40);
  EXPECT_EQ((*health)[1].power_watts, 100);
  EXPECT_EQ((*health)[1].utilization_percent, 5);
}

TEST_F(OddDriver, FindsAGpuByItsUuidThoughAnotherOneIsLost) {
  const auto health = driver_->HealthOf("GPU-1");
  ASSERT_TRUE(health.has_value()) << health.error().message;
  EXPECT_EQ(health->uuid, "GPU-1");
  EXPECT_EQ(health->temperature_c, 40);
  EXPECT_EQ(driver_->HealthOf("GPU-2").error().code, ErrorCode::kNotFound);
}

TEST_F(OddDriver, ALostGpuKeepsItsName) {
  const auto health = driver_->HealthOf("GPU-0");
  ASSERT_TRUE(health.has_value()) << health.error().message;
  EXPECT_TRUE(health->lost);
  EXPECT_EQ(health->uuid, "GPU-0");
}

TEST_F(OddDriver, ListsEachProcessOnce) {
  const auto health = driver_->Health();
  ASSERT_TRUE(health.has_value()) << health.error().message;
  const std::vector<GpuProcess>& processes = health->at(1).processes;
  ASSERT_EQ(processes.size(), 3u);
  EXPECT_EQ(processes[0].pid, 100);
  EXPECT_EQ(processes[0].memory_mib, std::nullopt);
  EXPECT_EQ(processes[1].pid, 200);
  EXPECT_EQ(processes[2].pid, 300);
  EXPECT_EQ(processes[2].memory_mib, 3);
}

TEST_F(OddDriver, TellsAnUnloadedDriverFromLostGpus) {
  ASSERT_TRUE(driver_->Inventory().has_value());
  setenv("TEST_NVML_UNLOADED", "1", 1);
  const auto health = driver_->Health();
  ASSERT_FALSE(health.has_value());
  EXPECT_EQ(health.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(driver_->Inventory().error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace gp
