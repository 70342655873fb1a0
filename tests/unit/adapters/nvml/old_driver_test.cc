// What remains of discovery on a driver that lacks every newer call.

#include <gtest/gtest.h>

#include "adapters/outbound/nvml/nvml_driver.h"
#include "adapters/outbound/nvml/xid_events.h"

namespace gp {
namespace {

using testing::Test;

class OldDriver : public Test {
 protected:
  void SetUp() override {
    auto driver = NvmlDriver::Open(GP_BINARY_DIR "/test_drivers/libtest_driver_old.so");
    ASSERT_TRUE(driver.has_value()) << driver.error().message;
    driver_ = std::move(*driver);
    auto inventory = driver_->Inventory();
    ASSERT_TRUE(inventory.has_value()) << inventory.error().message;
    inventory_ = *inventory;
    ASSERT_EQ(inventory_.gpus.size(), 2u);
  }

  int CountWarnings(const std::string& text) const {
    int count = 0;
    for (const std::string& warning : inventory_.warnings) {
      if (warning.find(text) != std::string::npos) ++count;
    }
    return count;
  }

  std::unique_ptr<NvmlDriver> driver_;
  DriverInventory inventory_;
};

TEST_F(OldDriver, TellsWhatItCan) {
  const GpuIdentity& gpu = inventory_.gpus[1];
  EXPECT_EQ(gpu.uuid, "GPU-00000001");
  EXPECT_EQ(gpu.name, "Old GPU");
  EXPECT_EQ(gpu.pci_bus_id, "00000000:11:00.0");
  EXPECT_EQ(gpu.memory_total_mib, 16384);
  EXPECT_EQ(inventory_.driver_version, "418.226.00");
  EXPECT_EQ(inventory_.cuda_version, "10.1");
}

TEST_F(OldDriver, NamesWhatItLacksOnceForAllGpus) {
  EXPECT_EQ(CountWarnings("nvmlDeviceGetMemoryInfo_v2: not in this driver"), 1);
  EXPECT_EQ(CountWarnings("all memory counts as usable"), 1);
  EXPECT_EQ(CountWarnings("nvmlSystemGetNVMLVersion: "), 1);
  EXPECT_EQ(CountWarnings("GPU 1: minor number unknown; /dev/nvidia1 is a guess"), 1);
}

TEST_F(OldDriver, LeavesUnknownWhatItCannotTell) {
  const GpuIdentity& gpu = inventory_.gpus[0];
  EXPECT_EQ(gpu.serial, "");
  EXPECT_EQ(gpu.power_limit_watts, std::nullopt);
  EXPECT_EQ(gpu.temperature_slowdown_c, std::nullopt);
  EXPECT_EQ(gpu.compute_capability_major, std::nullopt);
}

// The remote ends have no type: bus ids tell GPUs from switches.
TEST_F(OldDriver, TellsDirectLinksFromSwitchesByAddress) {
  ASSERT_EQ(inventory_.links.size(), 1u);
  EXPECT_EQ(inventory_.links[0].link_count, 2);
  EXPECT_FALSE(inventory_.links[0].through_switch);
}

TEST_F(OldDriver, NamesMigProfilesByTheirNumbers) {
  const GpuIdentity& gpu = inventory_.gpus[0];
  EXPECT_TRUE(gpu.mig_enabled);
  ASSERT_EQ(gpu.mig_profiles.size(), 2u);
  EXPECT_EQ(gpu.mig_profiles[0].name, "1g.5gb");
  EXPECT_EQ(gpu.mig_profiles[0].id, 19);
  EXPECT_EQ(gpu.mig_profiles[0].instances_max, 7);
  EXPECT_EQ(gpu.mig_profiles[1].name, "1g.5gb+me");
  EXPECT_TRUE(gpu.mig_profiles[0].placements.empty());
}

TEST_F(OldDriver, GivesHealthByFirstVersions) {
  const auto health = driver_->Health();
  ASSERT_TRUE(health.has_value()) << health.error().message;
  ASSERT_EQ(health->size(), 2u);
  const GpuHealth& gpu = (*health)[1];
  EXPECT_EQ(gpu.index, 1);
  EXPECT_FALSE(gpu.lost);
  EXPECT_EQ(gpu.memory_used_mib, 384);
  EXPECT_EQ(gpu.temperature_c, std::nullopt);
  EXPECT_EQ(gpu.ecc, std::nullopt);
  EXPECT_EQ(gpu.throttle_reasons, std::vector<std::string>{"sw-power-cap"});
  EXPECT_EQ(gpu.nvlinks_active, 5);
  EXPECT_EQ(gpu.nvlinks_total, 6);
  ASSERT_EQ(gpu.processes.size(), 1u);
  EXPECT_EQ(gpu.processes[0].pid, 4711);
  EXPECT_EQ(gpu.processes[0].memory_mib, 100);
}

// It has no call for that.
TEST_F(OldDriver, FindsAGpuByItsUuid) {
  const auto driver = NvmlDriver::Open(GP_BINARY_DIR "/test_drivers/libtest_driver_old.so");
  ASSERT_TRUE(driver.has_value()) << driver.error().message;
  const auto health = (*driver)->HealthOf("GPU-00000001");
  ASSERT_TRUE(health.has_value()) << health.error().message;
  EXPECT_EQ(health->uuid, "GPU-00000001");
  EXPECT_EQ(health->memory_used_mib, 384);
  const auto nobody = (*driver)->HealthOf("GPU-00000002");
  ASSERT_FALSE(nobody.has_value());
  EXPECT_EQ(nobody.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(nobody.error().message.starts_with("GPU-00000002: ")) << nobody.error().message;
}

TEST_F(OldDriver, HasNoRecoveryActionBeforeDriversHadOne) {
  const auto health = driver_->Health();
  ASSERT_TRUE(health.has_value());
  EXPECT_EQ((*health)[0].recovery_action, std::nullopt);
}

TEST_F(OldDriver, DeliversXidsWithoutInstances) {
  auto events = XidEvents::Open(driver_->library());
  ASSERT_TRUE(events.has_value()) << events.error().message;
  EXPECT_TRUE((*events)->warnings().empty());
  const auto event = (*events)->Wait(Duration::Seconds(1));
  ASSERT_TRUE(event.has_value() && event->has_value());
  EXPECT_EQ((*event)->gpu_uuid, "GPU-00000001");
  EXPECT_EQ((*event)->xid, 31);
  EXPECT_EQ((*event)->gpu_instance, std::nullopt);

  // A driver waits in whole milliseconds: for the rest of one it would answer at once.
  const auto soon = (*events)->Wait(Duration::Nanoseconds(1));
  EXPECT_TRUE(soon.has_value() && soon->has_value());
  const auto nothing = (*events)->Wait(Duration::Seconds(0));
  ASSERT_TRUE(nothing.has_value());
  EXPECT_FALSE(nothing->has_value());
}

}  // namespace
}  // namespace gp
