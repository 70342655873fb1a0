#pragma once

// A device handle stands for a GPU or for a MIG device (a compute instance inside a GPU instance).
// These functions return what both have.

#include <optional>
#include <string>
#include <vector>

#include "fakes/nvml/driver.h"

namespace gp {

struct MigDeviceView {
  const MachineGpu& gpu;
  const GpuState& state;
  const MigTable& table;
  const MigGpuProfile& profile;
  const FakeGpuInstance& instance;
  const FakeComputeInstance& compute;
};

// REQUIRES: handle.IsMig().  nullopt: the instance no longer exists.
std::optional<MigDeviceView> ViewMigDevice(const FakeWorld& world, const nvmlDevice_st& handle);

std::string DeviceName(const FakeWorld& world, const nvmlDevice_st& handle);
std::string DeviceUuid(const FakeWorld& world, const nvmlDevice_st& handle);
std::optional<nvmlDevice_st> FindDevice(const FakeWorld& world, const std::string& uuid);

// The MIG devices of a GPU, ordered by instance ids; the position is the index.
std::vector<nvmlDevice_st> MigDevicesOf(const FakeWorld& world, int gpu);
unsigned MigDeviceIndex(const FakeWorld& world, const nvmlDevice_st& handle);

}  // namespace gp
