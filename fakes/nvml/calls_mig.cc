// MIG at the level of a GPU: mode, profiles, GPU instances.  Changes go through the journal, so
// that every process sees the same instances.

#include <algorithm>
#include <cstring>

#include "fakes/nvml/driver.h"
#include "fakes/nvml/mig_rules.h"

namespace gp {
namespace {

// Calls body(const MigTable&, GpuState&) on a GPU that supports MIG.
template <typename Body>
nvmlReturn_t WithTable(const char* call, nvmlDevice_t device, Body body) {
  return WithReading(call, device, [&](const MachineGpu& gpu, GpuState& state) {
    const MigTable* table = FindMigTable(gpu.mig);
    if (table == nullptr) return NVML_ERROR_NOT_SUPPORTED;
    return body(*table, state);
  });
}

// The same for one profile, by its id.
template <typename Body>
nvmlReturn_t WithProfile(const char* call, nvmlDevice_t device, unsigned profile_id, Body body) {
  return WithTable(call, device, [&](const MigTable& table, GpuState& state) {
    const MigGpuProfile* profile = FindProfileById(table, profile_id);
    if (profile == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return body(table, *profile, state);
  });
}

// All versions of the structure have these members.
template <typename Info>
void FillProfile(const MigGpuProfile& profile, Info* info) {
  info->id = profile.id;
  info->sliceCount = profile.compute_slices;
  info->instanceCount = profile.instances_max;
  info->multiprocessorCount = profile.multiprocessors;
  info->copyEngineCount = profile.copy_engines;
  info->decoderCount = profile.decoders;
  info->encoderCount = 0;
  info->jpegCount = profile.jpeg;
  info->ofaCount = profile.ofa;
  info->memorySizeMB = profile.memory_mib;
}

nvmlReturn_t FillProfileV(const MigGpuProfile& profile, void* info) {
  const std::string name = std::string("MIG ") + profile.name;
  unsigned version = 0;
  std::memcpy(&version, info, sizeof version);
  if (version == NvmlStructVersion<nvmlGpuInstanceProfileInfo_v2_t>(2)) {
    auto* v2 = static_cast<nvmlGpuInstanceProfileInfo_v2_t*>(info);
    FillProfile(profile, v2);
    v2->isP2pSupported = 0;
    return CopyText(name, v2->name, sizeof v2->name);
  }
  if (version == NvmlStructVersion<nvmlGpuInstanceProfileInfo_v3_t>(3)) {
    auto* v3 = static_cast<nvmlGpuInstanceProfileInfo_v3_t*>(info);
    FillProfile(profile, v3);
    v3->capabilities = 0;
    return CopyText(name, v3->name, sizeof v3->name);
  }
  return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
}

// The placement of a new instance: `wanted`, or the first one that is free.
nvmlReturn_t ChooseStart(const GpuState& state, const MigGpuProfile& profile,
                         const nvmlGpuInstancePlacement_t* wanted, unsigned* start) {
  if (IsUnreachable(state)) return NVML_ERROR_GPU_IS_LOST;
  if (!state.mig_enabled) return NVML_ERROR_NOT_SUPPORTED;
  const std::vector<unsigned> free = FreeStarts(state, profile);
  if (wanted == nullptr) {
    if (free.empty()) return NVML_ERROR_INSUFFICIENT_RESOURCES;
    *start = free[0];
    return NVML_SUCCESS;
  }
  const bool legal = wanted->size == profile.memory_slices &&
                     std::ranges::find(profile.starts, wanted->start) != profile.starts.end();
  if (!legal) return NVML_ERROR_INVALID_ARGUMENT;
  *start = wanted->start;
  const bool is_free = std::ranges::find(free, *start) != free.end();
  return is_free ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_RESOURCES;
}

nvmlReturn_t Create(const char* call, nvmlDevice_t device, unsigned profile_id,
                    const nvmlGpuInstancePlacement_t* wanted, nvmlGpuInstance_t* instance) {
  if (instance == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithHandle(call, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const int gpu = handle.gpu;
    const size_t index = static_cast<size_t>(gpu);
    const MigTable* table = FindMigTable(driver.world().machine.gpus[index].mig);
    if (table == nullptr || handle.IsMig()) return NVML_ERROR_NOT_SUPPORTED;
    const MigGpuProfile* profile = FindProfileById(*table, profile_id);
    if (profile == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    unsigned id = 0;
    const nvmlReturn_t changed = driver.Change([&](FakeCommand* command) {
      unsigned start = 0;
      const nvmlReturn_t chosen = ChooseStart(driver.world().gpus[index], *profile, wanted, &start);
      if (chosen != NVML_SUCCESS) return chosen;
      id = GpuInstanceId(*table, start, profile->memory_slices);
      command->verb = "gi-create";
      command->arguments = {{"gpu", std::to_string(gpu)},
                            {"id", std::to_string(id)},
                            {"profile", std::to_string(profile->id)},
                            {"start", std::to_string(start)},
                            {"size", std::to_string(profile->memory_slices)}};
      return NVML_SUCCESS;
    });
    if (changed == NVML_SUCCESS) *instance = driver.GpuInstance(gpu, id);
    return changed;
  });
}

bool IsBusy(const GpuState& state) { return !state.processes.empty() || !state.instances.empty(); }

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned* current, unsigned* pending) {
  if (current == nullptr || pending == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithTable(__func__, device, [&](const MigTable&, const GpuState& state) {
    *current = state.mig_enabled ? NVML_DEVICE_MIG_ENABLE : NVML_DEVICE_MIG_DISABLE;
    *pending = state.mig_pending ? NVML_DEVICE_MIG_ENABLE : NVML_DEVICE_MIG_DISABLE;
    return NVML_SUCCESS;
  });
}

// On a busy GPU the mode stays pending until a reset, as in NVML.
nvmlReturn_t nvmlDeviceSetMigMode(nvmlDevice_t device, unsigned mode, nvmlReturn_t* activation) {
  if (activation == nullptr || mode > NVML_DEVICE_MIG_ENABLE) return NVML_ERROR_INVALID_ARGUMENT;
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const int gpu = handle.gpu;
    const size_t index = static_cast<size_t>(gpu);
    if (handle.IsMig() || driver.world().machine.gpus[index].mig.empty()) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    return driver.Change([&](FakeCommand* command) {
      const GpuState& state = driver.world().gpus[index];
      if (IsUnreachable(state)) return NVML_ERROR_GPU_IS_LOST;
      *activation = IsBusy(state) ? NVML_ERROR_IN_USE : NVML_SUCCESS;
      command->verb = "mig-mode";
      command->arguments = {{"gpu", std::to_string(gpu)},
                            {"enabled", std::to_string(mode)},
                            {"active", IsBusy(state) ? "0" : "1"}};
      return NVML_SUCCESS;
    });
  });
}

nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfo(nvmlDevice_t device, unsigned profile,
                                                 nvmlGpuInstanceProfileInfo_t* info) {
  if (info == nullptr || profile >= NVML_GPU_INSTANCE_PROFILE_COUNT) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  return WithTable(__func__, device, [&](const MigTable& table, const GpuState&) {
    const MigGpuProfile* found = FindProfileByIndex(table, profile);
    if (found == nullptr) return NVML_ERROR_NOT_SUPPORTED;
    FillProfile(*found, info);
    info->isP2pSupported = 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfoV(nvmlDevice_t device, unsigned profile,
                                                  nvmlGpuInstanceProfileInfo_v2_t* info) {
  if (info == nullptr || profile >= NVML_GPU_INSTANCE_PROFILE_COUNT) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  return WithTable(__func__, device, [&](const MigTable& table, const GpuState&) {
    const MigGpuProfile* found = FindProfileByIndex(table, profile);
    return found == nullptr ? NVML_ERROR_NOT_SUPPORTED : FillProfileV(*found, info);
  });
}

nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfoByIdV(nvmlDevice_t device, unsigned profile_id,
                                                      nvmlGpuInstanceProfileInfo_v2_t* info) {
  if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithProfile(__func__, device, profile_id,
                     [&](const MigTable&, const MigGpuProfile& profile, const GpuState&) {
                       return FillProfileV(profile, info);
                     });
}

nvmlReturn_t nvmlDeviceGetGpuInstancePossiblePlacements_v2(nvmlDevice_t device, unsigned profile_id,
                                                           nvmlGpuInstancePlacement_t* placements,
                                                           unsigned* count) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithProfile(__func__, device, profile_id,
                     [&](const MigTable&, const MigGpuProfile& profile, const GpuState&) {
                       const unsigned room = *count;
                       *count = static_cast<unsigned>(profile.starts.size());
                       if (placements == nullptr) return NVML_SUCCESS;
                       if (room < *count) return NVML_ERROR_INSUFFICIENT_SIZE;
                       for (unsigned start : profile.starts)
                         *placements++ = {start, profile.memory_slices};
                       return NVML_SUCCESS;
                     });
}
nvmlReturn_t nvmlDeviceGetGpuInstancePossiblePlacements(nvmlDevice_t device, unsigned profile_id,
                                                        nvmlGpuInstancePlacement_t* placements,
                                                        unsigned* count) {
  return nvmlDeviceGetGpuInstancePossiblePlacements_v2(device, profile_id, placements, count);
}

nvmlReturn_t nvmlDeviceGetGpuInstanceRemainingCapacity(nvmlDevice_t device, unsigned profile_id,
                                                       unsigned* count) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithProfile(
      __func__, device, profile_id,
      [&](const MigTable& table, const MigGpuProfile& profile, const GpuState& state) {
        if (!state.mig_enabled) return NVML_ERROR_NOT_SUPPORTED;
        return Store(count, RemainingCapacity(state, table, profile));
      });
}

nvmlReturn_t nvmlDeviceCreateGpuInstance(nvmlDevice_t device, unsigned profile_id,
                                         nvmlGpuInstance_t* instance) {
  return Create(__func__, device, profile_id, nullptr, instance);
}
nvmlReturn_t nvmlDeviceCreateGpuInstanceWithPlacement(nvmlDevice_t device, unsigned profile_id,
                                                      const nvmlGpuInstancePlacement_t* placement,
                                                      nvmlGpuInstance_t* instance) {
  if (placement == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return Create(__func__, device, profile_id, placement, instance);
}

nvmlReturn_t nvmlGpuInstanceDestroy(nvmlGpuInstance_t instance) {
  return WithDriver(__func__, std::nullopt, [&](FakeDriver& driver) {
    const nvmlGpuInstance_st* handle = driver.Find(instance);
    if (handle == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return driver.Change([&](FakeCommand* command) {
      const auto& instances = driver.world().gpus[static_cast<size_t>(handle->gpu)].instances;
      const auto found = instances.find(handle->id);
      if (found == instances.end()) return NVML_ERROR_NOT_FOUND;
      if (!found->second.compute.empty()) return NVML_ERROR_IN_USE;
      command->verb = "gi-destroy";
      command->arguments = {{"gpu", std::to_string(handle->gpu)},
                            {"id", std::to_string(handle->id)}};
      return NVML_SUCCESS;
    });
  });
}

nvmlReturn_t nvmlDeviceGetGpuInstances(nvmlDevice_t device, unsigned profile_id,
                                       nvmlGpuInstance_t* instances, unsigned* count) {
  if (instances == nullptr || count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const GpuState& state = driver.world().gpus[static_cast<size_t>(handle.gpu)];
    if (!state.mig_enabled) return NVML_ERROR_NOT_SUPPORTED;
    *count = 0;
    for (const auto& [id, instance] : state.instances) {
      if (instance.profile_id == profile_id) {
        instances[(*count)++] = driver.GpuInstance(handle.gpu, id);
      }
    }
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetGpuInstanceById(nvmlDevice_t device, unsigned id,
                                          nvmlGpuInstance_t* instance) {
  if (instance == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const GpuState& state = driver.world().gpus[static_cast<size_t>(handle.gpu)];
    if (!state.instances.contains(id)) return NVML_ERROR_NOT_FOUND;
    *instance = driver.GpuInstance(handle.gpu, id);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlGpuInstanceGetInfo(nvmlGpuInstance_t instance, nvmlGpuInstanceInfo_t* info) {
  if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithDriver(__func__, std::nullopt, [&](FakeDriver& driver) {
    const nvmlGpuInstance_st* handle = driver.Find(instance);
    if (handle == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const FakeGpuInstance& found =
        driver.world().gpus[static_cast<size_t>(handle->gpu)].instances.at(handle->id);
    *info = {driver.Device(handle->gpu), found.id, found.profile_id, {found.start, found.size}};
    return NVML_SUCCESS;
  });
}

}  // extern "C"
}  // namespace gp
