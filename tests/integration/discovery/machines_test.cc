// Every machine of data/machines, played by the fake driver and discovered by the real adapter:
// what comes out is what the file says.  Two readers of the format, the fake's and the adapter's,
// check each other here.

#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/outbound/machine_file/machine_file.h"
#include "adapters/outbound/machine_file/write_machine_file.h"
#include "tests/integration/discovery/fake_driver.h"
#include "tests/integration/discovery/inventory_text.h"

namespace gp {
namespace {

std::vector<std::string> Machines() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(GP_SOURCE_DIR "/data/machines")) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

DriverInventory Discover(const std::string& machine_path) {
  FakeDriverSession session(machine_path);
  const auto driver = FakeDriverSession::Open();
  EXPECT_TRUE(driver.has_value()) << driver.error().message;
  if (!driver) return {};
  const auto inventory = (*driver)->Inventory();
  EXPECT_TRUE(inventory.has_value()) << inventory.error().message;
  return inventory.value_or(DriverInventory());
}

class Machine : public testing::TestWithParam<std::string> {};

TEST_P(Machine, IsDiscoveredToTheUnit) {
  const auto file = ReadMachineFile(GetParam());
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const DriverInventory inventory = Discover(GetParam());
  EXPECT_EQ(VersionsText(inventory), VersionsText(file->inventory));
  EXPECT_EQ(GpusText(inventory), GpusText(file->inventory));
  EXPECT_EQ(LinksText(inventory), LinksText(file->inventory));
  EXPECT_EQ(inventory.warnings, std::vector<std::string>());
}

TEST_P(Machine, HasItsGpusOnItsPciBus) {
  const auto file = ReadMachineFile(GetParam());
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->host.gpus.size(), file->inventory.gpus.size());
  EXPECT_FALSE(file->host.cpus.Empty());
  EXPECT_GT(file->host.memory_mib, 0);
}

TEST_P(Machine, OffersMigProfilesThatFit) {
  for (const GpuIdentity& gpu : Discover(GetParam()).gpus) {
    EXPECT_EQ(gpu.mig_capable, !gpu.mig_profiles.empty()) << gpu.name;
    for (const MigProfileInfo& profile : gpu.mig_profiles) {
      EXPECT_LE(profile.memory_mib, gpu.memory_total_mib) << profile.name;
      EXPECT_GE(static_cast<int>(profile.placements.size()), profile.instances_max) << profile.name;
    }
  }
}

TEST_P(Machine, IsHealthyAtRest) {
  FakeDriverSession session(GetParam());
  const auto driver = FakeDriverSession::Open();
  ASSERT_TRUE(driver.has_value()) << driver.error().message;
  const auto inventory = (*driver)->Inventory();
  const auto health = (*driver)->Health();
  ASSERT_TRUE(inventory.has_value() && health.has_value());
  ASSERT_EQ(health->size(), inventory->gpus.size());
  for (size_t i = 0; i < health->size(); ++i) {
    const GpuHealth& gpu = (*health)[i];
    EXPECT_EQ(gpu.index, static_cast<int>(i));
    EXPECT_FALSE(gpu.lost);
    EXPECT_EQ(gpu.memory_used_mib, 0);
    EXPECT_EQ(gpu.nvlinks_active, gpu.nvlinks_total);
    EXPECT_TRUE(gpu.processes.empty());
    EXPECT_TRUE(gpu.throttle_reasons.empty());
  }
}

// What `gpu-platform capture` saves plays back to the machine it was taken from.
TEST_P(Machine, PlaysBackFromItsCapture) {
  const auto file = ReadMachineFile(GetParam());
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const std::string path = testing::TempDir() + "/captured_machine.yaml";
  DriverInventory original;
  {
    FakeDriverSession session(GetParam());
    const auto driver = FakeDriverSession::Open();
    ASSERT_TRUE(driver.has_value()) << driver.error().message;
    const auto inventory = (*driver)->Inventory();
    const auto health = (*driver)->Health();
    ASSERT_TRUE(inventory.has_value() && health.has_value());
    original = *inventory;
    std::ofstream(path) << WriteMachineFile(file->host, original, *health);
  }
  const DriverInventory replayed = Discover(path);
  EXPECT_EQ(VersionsText(replayed), VersionsText(original));
  EXPECT_EQ(GpusText(replayed), GpusText(original));
  EXPECT_EQ(LinksText(replayed), LinksText(original));
  EXPECT_EQ(MigText(replayed), MigText(original));
  const auto captured = ReadMachineFile(path);
  ASSERT_TRUE(captured.has_value()) << captured.error().message;
  EXPECT_EQ(captured->host.hostname, file->host.hostname);
  EXPECT_EQ(captured->host.memory_mib, file->host.memory_mib);
  EXPECT_EQ(captured->host.cpus, file->host.cpus);
}

std::string NameOf(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::ranges::replace_if(name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Data, Machine, testing::ValuesIn(Machines()), NameOf);

}  // namespace
}  // namespace gp
