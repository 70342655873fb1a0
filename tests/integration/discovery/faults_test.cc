// What the adapter reports while things happen to a machine of the fake driver.

#include <gtest/gtest.h>

#include <thread>

#include "adapters/outbound/nvml/mig_division.h"
#include "adapters/outbound/nvml/xid_events.h"
#include "tests/integration/discovery/fake_driver.h"

namespace gp {
namespace {

class Faults : public testing::Test {
 protected:
  void SetUp() override {
    auto driver = FakeDriverSession::Open();
    ASSERT_TRUE(driver.has_value()) << driver.error().message;
    driver_ = std::move(*driver);
    const auto inventory = driver_->Inventory();
    ASSERT_TRUE(inventory.has_value());
    for (const GpuIdentity& gpu : inventory->gpus) uuids_.push_back(gpu.uuid);
    ASSERT_EQ(uuids_.size(), 8u);
  }

  // The driver as a process finds it that begins now.
  void Restart() {
    driver_.reset();
    auto driver = FakeDriverSession::Open();
    ASSERT_TRUE(driver.has_value()) << driver.error().message;
    driver_ = std::move(*driver);
  }

  GpuHealth HealthOf(size_t index) {
    const auto health = driver_->Health();
    EXPECT_TRUE(health.has_value()) << health.error().message;
    return health && index < health->size() ? (*health)[index] : GpuHealth();
  }

  FakeDriverSession session_{GP_SOURCE_DIR "/data/machines/dgx-h100.yaml"};
  std::unique_ptr<NvmlDriver> driver_;
  std::vector<std::string> uuids_;
};

TEST_F(Faults, ALostGpuIsAFindingAndItsNeighboursGoOn) {
  session_.Command("temperature gpu=4 celsius=66");
  session_.Command("lost gpu=3");
  const GpuHealth lost = HealthOf(3);
  EXPECT_TRUE(lost.lost);
  EXPECT_EQ(lost.index, 3);
  EXPECT_EQ(lost.uuid, uuids_[3]);
  EXPECT_EQ(lost.temperature_c, std::nullopt);
  EXPECT_EQ(lost.nvlinks_total, std::nullopt);
  EXPECT_FALSE(HealthOf(4).lost);
  EXPECT_EQ(HealthOf(4).temperature_c, 66);
  EXPECT_EQ(HealthOf(4).uuid, uuids_[4]);
}

TEST_F(Faults, AGpuLostBeforeTheStartIsLeftOutAndNamed) {
  session_.Command("lost gpu=3");
  driver_.reset();
  const auto driver = FakeDriverSession::Open();
  ASSERT_TRUE(driver.has_value()) << driver.error().message;
  const auto inventory = (*driver)->Inventory();
  ASSERT_TRUE(inventory.has_value()) << inventory.error().message;
  ASSERT_EQ(inventory->gpus.size(), 7u);
  EXPECT_EQ(inventory->gpus[3].index, 4);
  ASSERT_FALSE(inventory->warnings.empty());
  EXPECT_TRUE(inventory->warnings[0].starts_with("GPU 3: ")) << inventory->warnings[0];
  // Switches still join the seven others, by the driver's own numbers.
  EXPECT_EQ(inventory->links.size(), 21u);
}

// The driver has renumbered all GPUs behind the lost one.
TEST_F(Faults, AGpuIsReadByItsUuidWhateverItsIndex) {
  session_.Command("temperature gpu=3 celsius=44");
  session_.Command("temperature gpu=4 celsius=55");
  session_.Command("lost gpu=2 renumber=yes");
  Restart();
  const auto health = driver_->HealthOf(uuids_[3]);
  ASSERT_TRUE(health.has_value()) << health.error().message;
  EXPECT_EQ(health->uuid, uuids_[3]);
  EXPECT_EQ(health->temperature_c, 44);
  const auto identity = driver_->IdentityOf(uuids_[3]);
  ASSERT_TRUE(identity.has_value()) << identity.error().message;
  EXPECT_EQ(identity->uuid, uuids_[3]);
  EXPECT_EQ(driver_->HealthOf(uuids_[2]).error().code, ErrorCode::kNotFound);
  const auto inventory = driver_->Inventory();
  ASSERT_TRUE(inventory.has_value()) << inventory.error().message;
  ASSERT_EQ(inventory->gpus.size(), 7u);
  EXPECT_EQ(inventory->gpus[2].uuid, uuids_[3]);
  EXPECT_EQ(inventory->gpus[2].index, 2);
}

TEST_F(Faults, XidsAreThoseOfTheUuidWhateverItsIndex) {
  session_.Command("lost gpu=2 renumber=yes");
  Restart();
  auto events = XidEvents::OpenOne(driver_->library(), uuids_[3]);
  ASSERT_TRUE(events.has_value()) << events.error().message;
  session_.Command("xid gpu=4 code=31");
  session_.Command("xid gpu=3 code=43");
  const auto event = (*events)->Wait(Duration::Seconds(10));
  ASSERT_TRUE(event.has_value() && event->has_value());
  EXPECT_EQ((*event)->gpu_uuid, uuids_[3]);
  EXPECT_EQ((*event)->xid, 43);
  EXPECT_EQ(XidEvents::OpenOne(driver_->library(), uuids_[2]).error().code, ErrorCode::kNotFound);
}

TEST_F(Faults, TheGpuOfTheUuidIsDividedWhateverItsIndex) {
  session_.Command("lost gpu=2 renumber=yes");
  Restart();
  auto division = MigDivision::Open(driver_->library(), uuids_[3]);
  ASSERT_TRUE(division.has_value()) << division.error().message;
  ASSERT_TRUE(division->EnterMode().has_value());
  const auto inventory = driver_->Inventory();
  ASSERT_TRUE(inventory.has_value()) << inventory.error().message;
  for (const GpuIdentity& gpu : inventory->gpus) {
    EXPECT_EQ(gpu.mig_enabled, gpu.uuid == uuids_[3]) << gpu.uuid;
  }
  EXPECT_EQ(MigDivision::Open(driver_->library(), uuids_[2]).error().code, ErrorCode::kNotFound);
}

TEST_F(Faults, CountsMemoryErrorsAndRepairs) {
  session_.Command("ecc gpu=1 corrected=7 uncorrected=2");
  session_.Command("remap gpu=1 corrected=1 uncorrected=3 pending=yes");
  const GpuHealth gpu = HealthOf(1);
  ASSERT_TRUE(gpu.ecc.has_value());
  EXPECT_EQ(gpu.ecc->corrected_volatile, 7);
  EXPECT_EQ(gpu.ecc->uncorrected_volatile, 2);
  EXPECT_EQ(gpu.ecc->corrected_aggregate, 7);
  EXPECT_EQ(gpu.ecc->uncorrected_aggregate, 2);
  ASSERT_TRUE(gpu.row_remap.has_value());
  EXPECT_EQ(gpu.row_remap->corrected_rows, 1);
  EXPECT_EQ(gpu.row_remap->uncorrected_rows, 3);
  EXPECT_TRUE(gpu.row_remap->pending);
  EXPECT_FALSE(gpu.row_remap->failed);
}

TEST_F(Faults, ShowsLoadHeatAndThrottling) {
  session_.Command("utilization gpu=2 percent=97");
  session_.Command("memory gpu=2 used_mib=70000");
  session_.Command("power gpu=2 watts=699");
  session_.Command("clock gpu=2 sm=1200");
  session_.Command("throttle gpu=2 reasons=hw-thermal,sw-power-cap");
  const GpuHealth gpu = HealthOf(2);
  EXPECT_EQ(gpu.utilization_percent, 97);
  EXPECT_EQ(gpu.memory_used_mib, 70000);
  EXPECT_EQ(gpu.power_watts, 699);
  EXPECT_EQ(gpu.sm_clock_mhz, 1200);
  EXPECT_EQ(gpu.throttle_reasons,
            (std::vector<std::string>{"sw-power-cap", "hw-thermal-slowdown"}));
}

TEST_F(Faults, ListsProcessesAndLinksThatAreDown) {
  session_.Command("process gpu=0 pid=200 memory_mib=10");
  session_.Command("process gpu=0 pid=100 memory_mib=20");
  session_.Command("link gpu=0 link=5 state=down");
  const GpuHealth gpu = HealthOf(0);
  ASSERT_EQ(gpu.processes.size(), 2u);
  EXPECT_EQ(gpu.processes[0].pid, 100);
  EXPECT_EQ(gpu.processes[0].memory_mib, 20);
  EXPECT_EQ(gpu.nvlinks_total, 18);
  EXPECT_EQ(gpu.nvlinks_active, 17);
}

TEST_F(Faults, ListsMoreProcessesThanTheFirstQuestionHasRoomFor) {
  for (int pid = 1000; pid < 1100; ++pid) {
    session_.Command("process gpu=0 pid=" + std::to_string(pid) + " memory_mib=1");
  }
  EXPECT_EQ(HealthOf(0).processes.size(), 100u);
}

TEST_F(Faults, PassesOnWhatTheDriverAdvises) {
  EXPECT_EQ(HealthOf(0).recovery_action, RecoveryAction::kNone);
  session_.Command("recovery gpu=0 action=reset");
  EXPECT_EQ(HealthOf(0).recovery_action, RecoveryAction::kGpuReset);
  session_.Command("recovery gpu=0 action=reboot");
  EXPECT_EQ(HealthOf(0).recovery_action, RecoveryAction::kNodeReboot);
  session_.Command("recovery gpu=0 action=drain-reset");
  EXPECT_EQ(HealthOf(0).recovery_action, RecoveryAction::kDrainAndReset);
}

TEST_F(Faults, DeliversXidsInOrder) {
  auto events = XidEvents::Open(driver_->library());
  ASSERT_TRUE(events.has_value()) << events.error().message;
  EXPECT_TRUE((*events)->warnings().empty());
  session_.Command("xid gpu=5 code=31");
  session_.Command("xid gpu=2 code=94 gi=3 ci=1");
  const auto first = (*events)->Wait(Duration::Seconds(10));
  ASSERT_TRUE(first.has_value() && first->has_value());
  EXPECT_EQ((*first)->gpu_uuid, uuids_[5]);
  EXPECT_EQ((*first)->xid, 31);
  EXPECT_EQ((*first)->gpu_instance, std::nullopt);
  const auto second = (*events)->Wait(Duration::Seconds(10));
  ASSERT_TRUE(second.has_value() && second->has_value());
  EXPECT_EQ((*second)->gpu_uuid, uuids_[2]);
  EXPECT_EQ((*second)->xid, 94);
  EXPECT_EQ((*second)->gpu_instance, 3);
  EXPECT_EQ((*second)->compute_instance, 1);
  const auto nothing = (*events)->Wait(Duration::Milliseconds(1));
  ASSERT_TRUE(nothing.has_value());
  EXPECT_FALSE(nothing->has_value());
}

// The waiting thread does not hold up the one that reads.
TEST_F(Faults, WaitsForXidsWhileHealthIsRead) {
  auto events = XidEvents::Open(driver_->library());
  ASSERT_TRUE(events.has_value()) << events.error().message;
  Result<std::optional<XidEvent>> event = std::nullopt;
  std::thread waiter([&] { event = (*events)->Wait(Duration::Seconds(30)); });
  EXPECT_FALSE(HealthOf(7).lost);
  session_.Command("xid gpu=7 code=79");
  waiter.join();
  ASSERT_TRUE(event.has_value()) << event.error().message;
  ASSERT_TRUE(event->has_value());
  EXPECT_EQ((*event)->xid, 79);
  EXPECT_TRUE(HealthOf(7).lost);
}

}  // namespace
}  // namespace gp
