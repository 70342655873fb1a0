#include "fakes/nvml/mig_device.h"

#include "fakes/nvml/mig_rules.h"

namespace gp {

std::optional<MigDeviceView> ViewMigDevice(const FakeWorld& world, const nvmlDevice_st& handle) {
  const size_t index = static_cast<size_t>(handle.gpu);
  const MachineGpu& gpu = world.machine.gpus[index];
  const GpuState& state = world.gpus[index];
  const MigTable* table = FindMigTable(gpu.mig);
  const auto found = state.instances.find(*handle.gpu_instance);
  if (table == nullptr || found == state.instances.end()) return std::nullopt;
  const MigGpuProfile* profile = FindProfileById(*table, found->second.profile_id);
  if (profile == nullptr) return std::nullopt;
  for (const FakeComputeInstance& compute : found->second.compute) {
    if (compute.id != *handle.compute_instance) continue;
    return MigDeviceView{gpu, state, *table, *profile, found->second, compute};
  }
  return std::nullopt;
}

std::string DeviceName(const FakeWorld& world, const nvmlDevice_st& handle) {
  const std::string& name = world.machine.gpus[static_cast<size_t>(handle.gpu)].name;
  if (!handle.IsMig()) return name;
  const auto view = ViewMigDevice(world, handle);
  return view ? name + " MIG " + MigInstanceName(view->profile, view->compute.size) : name;
}

std::string DeviceUuid(const FakeWorld& world, const nvmlDevice_st& handle) {
  const std::string& uuid = world.machine.gpus[static_cast<size_t>(handle.gpu)].uuid;
  if (!handle.IsMig()) return uuid;
  return "MIG-" + DerivedUuid(uuid, 1000 + *handle.gpu_instance * 100 + *handle.compute_instance);
}

std::optional<nvmlDevice_st> FindDevice(const FakeWorld& world, const std::string& uuid) {
  for (int gpu = 0; gpu < static_cast<int>(world.gpus.size()); ++gpu) {
    const nvmlDevice_st whole = {gpu, std::nullopt, std::nullopt};
    if (DeviceUuid(world, whole) == uuid) return whole;
    for (const nvmlDevice_st& device : MigDevicesOf(world, gpu)) {
      if (DeviceUuid(world, device) == uuid) return device;
    }
  }
  return std::nullopt;
}

std::vector<nvmlDevice_st> MigDevicesOf(const FakeWorld& world, int gpu) {
  std::vector<nvmlDevice_st> devices;
  for (const auto& [id, instance] : world.gpus[static_cast<size_t>(gpu)].instances) {
    for (const FakeComputeInstance& compute : instance.compute) {
      devices.push_back({gpu, id, compute.id});
    }
  }
  return devices;
}

unsigned MigDeviceIndex(const FakeWorld& world, const nvmlDevice_st& handle) {
  unsigned index = 0;
  for (const nvmlDevice_st& device : MigDevicesOf(world, handle.gpu)) {
    if (device.gpu_instance == handle.gpu_instance &&
        device.compute_instance == handle.compute_instance) {
      break;
    }
    ++index;
  }
  return index;
}

}  // namespace gp
