// Instances that the core grants, made and removed through the adapter on the simulated driver,
// which has the rules of each model from another hand: none is ever refused, whatever came and went
// before.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "adapters/outbound/nvml/mig_division.h"
#include "adapters/outbound/nvml/nvml_driver.h"
#include "application/agent/node_facts.h"
#include "base/rng.h"
#include "domain/cluster/quotas/grants.h"

namespace gp {
namespace {

int Changes() {
  const char* set = std::getenv("GP_MIG_CHANGES");
  return set != nullptr ? std::atoi(set) : 100'000;
}

std::string MachineFile(const std::string& machine) {
  if (machine != "a30") return std::string(GP_SOURCE_DIR) + "/data/machines/" + machine + ".yaml";
  const std::string path = testing::TempDir() + "a30-" + std::to_string(getpid()) + ".yaml";
  std::ofstream(path)
      << "machine: gpu-platform/v1\ngpus:\n  - {uuid: GPU-30, mig: a30-24gb, bus_id: "
         "\"00000000:01:00.0\", memory_mib: {total: 24576, reserved: 300}}\n";
  return path;
}

class MigGeometry : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    setenv("GPU_PLATFORM_FAKE_NVML_MACHINE", MachineFile(GetParam()).c_str(), 1);
    unsetenv("GPU_PLATFORM_FAKE_NVML_CONTROL");  // all of it in this process
    auto driver = NvmlDriver::Open(GP_FAKE_NVML);
    ASSERT_TRUE(driver) << driver.error().message;
    driver_ = *std::move(driver);
    const auto before = driver_->Inventory();
    ASSERT_TRUE(before) << before.error().message;
    auto division = MigDivision::Open(driver_->library(), before->gpus.at(0).uuid);
    ASSERT_TRUE(division) << division.error().message;
    division_ = std::make_unique<MigDivision>(*std::move(division));
    const Status entered = division_->EnterMode();
    ASSERT_TRUE(entered) << entered.error().message;
    const auto inventory = driver_->Inventory();
    ASSERT_TRUE(inventory) << inventory.error().message;
    HostFacts host;
    host.numa_nodes.push_back({});
    facts_ = MakeNodeFacts("n", true, host, *inventory).facts.gpus[0];
    ASSERT_TRUE(ValidateMigTable(facts_.mig, facts_.memory_mib));
    ASSERT_FALSE(facts_.mig.profiles.empty());
    gpu_.condition = GpuCondition::kAvailable;
  }

  GpuRequest RandomRequest() {
    GpuRequest request;
    request.isolation = Isolation::kMig;
    // Small ones more often: only they make many neighbours.
    request.share_thousandths = rng_.Chance(2, 3) ? rng_.Between(1, 250) : rng_.Between(1, 999);
    if (rng_.Chance(1, 4))
      request.memory_mib = rng_.Between(1, static_cast<int>(facts_.memory_mib));
    return request;
  }

  bool Grant() {
    const GpuGrant grant = PlacedGrantOf(RandomRequest(), 0, facts_, gpu_);
    if (!CheckGpuGrant(gpu_, facts_, GpuMode::kMig, "u", grant)) return false;
    const auto made = division_->Make(static_cast<unsigned>(grant.mig_profile),
                                      static_cast<unsigned>(grant.mig_start));
    EXPECT_TRUE(made) << made.error().message;
    EXPECT_TRUE(!made || uuids_.insert(made->uuid).second);
    gpu_.leases.push_back({++last_});
    gpu_.mode = GpuMode::kMig;
    gpu_.share_granted += grant.share;
    gpu_.memory_granted_mib += grant.memory_mib;
    gpu_.mig_slices |= SlicesOf(grant, facts_);
    held_.push_back({grant, made ? made->uuid : ""});
    return true;
  }

  void Release(size_t at) {
    const auto [grant, uuid] = held_[at];
    const MigSlices slices = SlicesOf(grant, facts_);
    // Some instances are left behind by an agent that died: whoever comes next removes them.
    if (rng_.Chance(3, 4)) {
      const Status removed = division_->Remove(
          {static_cast<unsigned>(grant.mig_start), static_cast<unsigned>(std::popcount(slices))});
      EXPECT_TRUE(removed) << removed.error().message;
    }
    uuids_.erase(uuid);
    gpu_.leases.pop_back();
    if (gpu_.leases.empty()) gpu_.mode = GpuMode::kFree;
    gpu_.share_granted -= grant.share;
    gpu_.memory_granted_mib -= grant.memory_mib;
    gpu_.mig_slices &= ~slices;
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  Rng rng_{7};
  std::unique_ptr<NvmlDriver> driver_;
  std::unique_ptr<MigDivision> division_;
  GpuFacts facts_;
  Gpu gpu_;
  uint64_t last_ = 0;
  std::vector<std::pair<GpuGrant, std::string>> held_;
  std::set<std::string> uuids_;
};

INSTANTIATE_TEST_SUITE_P(Machines, MigGeometry,
                         testing::Values("dgx-a100", "dgx-h100", "hgx-h200", "dgx-b200", "a30"),
                         [](const auto& machine) {
                           std::string name = machine.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(MigGeometry, WhatIsGrantedTheDriverMakes) {
  const int changes = Changes();
  size_t most = 0;
  int granted = 0;
  for (int done = 0; done < changes && !HasFailure();) {
    // It fills up and runs dry by turns.
    const bool releases = !held_.empty() && rng_.Chance(done / 64 % 2 == 0 ? 1 : 3, 4);
    if (releases) {
      Release(rng_.Below(held_.size()));
      ++done;
    } else if (Grant()) {
      ++granted;
      ++done;
    }
    most = std::max(most, held_.size());
  }
  EXPECT_GE(granted, changes / 2);
  // As many as the model can have at all
  EXPECT_EQ(most, static_cast<size_t>(facts_.mig.compute_slices));
  ASSERT_TRUE(division_->KeepOnly({}));
  const auto whole = division_->Make(static_cast<unsigned>(facts_.mig.profiles.front().id), 0);
  EXPECT_TRUE(whole) << whole.error().message;  // nothing was left of anything
}

}  // namespace
}  // namespace gp
