// Compute instances.

#include <algorithm>
#include <cstring>

#include "fakes/nvml/driver.h"
#include "fakes/nvml/mig_rules.h"

namespace gp {
namespace {

struct InstanceView {
  int gpu;
  const MigTable& table;
  const MigGpuProfile& profile;
  const FakeGpuInstance& instance;
};

// Calls body(FakeDriver&, const InstanceView&).
template <typename Body>
nvmlReturn_t WithInstance(const char* call, nvmlGpuInstance_t instance, Body body) {
  return WithDriver(call, std::nullopt, [&](FakeDriver& driver) {
    const nvmlGpuInstance_st* handle = driver.Find(instance);
    if (handle == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const size_t index = static_cast<size_t>(handle->gpu);
    if (IsUnreachable(driver.world().gpus[index])) return NVML_ERROR_GPU_IS_LOST;
    const MigTable* table = FindMigTable(driver.world().machine.gpus[index].mig);
    const FakeGpuInstance& found = driver.world().gpus[index].instances.at(handle->id);
    const MigGpuProfile* profile = FindProfileById(*table, found.profile_id);
    return body(driver, InstanceView{handle->gpu, *table, *profile, found});
  });
}

unsigned Multiprocessors(const InstanceView& view, const MigComputeProfile& profile) {
  return profile.slices == view.profile.compute_slices
             ? view.profile.multiprocessors
             : profile.slices * view.table.multiprocessors_per_slice;
}

template <typename Info>
void FillProfile(const InstanceView& view, const MigComputeProfile& profile, Info* info) {
  info->id = profile.index;
  info->sliceCount = profile.slices;
  info->instanceCount = ComputeInstancesMax(profile, view.profile.compute_slices);
  info->multiprocessorCount = Multiprocessors(view, profile);
  info->sharedCopyEngineCount = view.profile.copy_engines;
  info->sharedDecoderCount = view.profile.decoders;
  info->sharedEncoderCount = 0;
  info->sharedJpegCount = view.profile.jpeg;
  info->sharedOfaCount = view.profile.ofa;
}

nvmlReturn_t FillProfileV(const InstanceView& view, const MigComputeProfile& profile, void* info) {
  const std::string name = "MIG " + MigInstanceName(view.profile, profile.slices);
  unsigned version = 0;
  std::memcpy(&version, info, sizeof version);
  if (version == NvmlStructVersion<nvmlComputeInstanceProfileInfo_v2_t>(2)) {
    auto* v2 = static_cast<nvmlComputeInstanceProfileInfo_v2_t*>(info);
    FillProfile(view, profile, v2);
    return CopyText(name, v2->name, sizeof v2->name);
  }
  if (version == NvmlStructVersion<nvmlComputeInstanceProfileInfo_v3_t>(3)) {
    auto* v3 = static_cast<nvmlComputeInstanceProfileInfo_v3_t*>(info);
    FillProfile(view, profile, v3);
    v3->capabilities = 0;
    return CopyText(name, v3->name, sizeof v3->name);
  }
  return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
}

// nullptr: the GPU instance is too small for it.
const MigComputeProfile* Offered(const InstanceView& view, unsigned index) {
  const MigComputeProfile* profile = FindComputeProfile(index);
  if (profile == nullptr || ComputeInstancesMax(*profile, view.profile.compute_slices) == 0) {
    return nullptr;
  }
  return profile;
}

nvmlReturn_t Create(const char* call, nvmlGpuInstance_t instance, unsigned profile_id,
                    const nvmlComputeInstancePlacement_t* wanted, nvmlComputeInstance_t* compute) {
  if (compute == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithInstance(call, instance, [&](FakeDriver& driver, const InstanceView& view) {
    const MigComputeProfile* profile = Offered(view, profile_id);
    if (profile == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const int gpu = view.gpu;
    const unsigned parent = view.instance.id;
    unsigned id = 0;
    const nvmlReturn_t changed = driver.Change([&](FakeCommand* command) {
      const auto& instances = driver.world().gpus[static_cast<size_t>(gpu)].instances;
      const auto found = instances.find(parent);
      if (found == instances.end()) return NVML_ERROR_NOT_FOUND;
      const auto free = FreeStarts(found->second, view.profile, *profile);
      if (free.empty()) return NVML_ERROR_INSUFFICIENT_RESOURCES;
      const unsigned start = wanted == nullptr ? free[0] : wanted->start;
      if (std::ranges::find(free, start) == free.end()) return NVML_ERROR_INSUFFICIENT_RESOURCES;
      id = NextComputeInstanceId(found->second);
      command->verb = "ci-create";
      command->arguments = {
          {"gpu", std::to_string(gpu)},     {"gi", std::to_string(parent)},
          {"id", std::to_string(id)},       {"profile", std::to_string(profile->index)},
          {"start", std::to_string(start)}, {"size", std::to_string(profile->slices)}};
      return NVML_SUCCESS;
    });
    if (changed == NVML_SUCCESS) *compute = driver.ComputeInstance(gpu, parent, id);
    return changed;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfo(nvmlGpuInstance_t instance,
                                                          unsigned profile, unsigned engine,
                                                          nvmlComputeInstanceProfileInfo_t* info) {
  if (info == nullptr || profile >= NVML_COMPUTE_INSTANCE_PROFILE_COUNT || engine != 0) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  return WithInstance(__func__, instance, [&](FakeDriver&, const InstanceView& view) {
    const MigComputeProfile* found = Offered(view, profile);
    if (found == nullptr) return NVML_ERROR_NOT_SUPPORTED;
    FillProfile(view, *found, info);
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfoV(
    nvmlGpuInstance_t instance, unsigned profile, unsigned engine,
    nvmlComputeInstanceProfileInfo_v2_t* info) {
  if (info == nullptr || profile >= NVML_COMPUTE_INSTANCE_PROFILE_COUNT || engine != 0) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  return WithInstance(__func__, instance, [&](FakeDriver&, const InstanceView& view) {
    const MigComputeProfile* found = Offered(view, profile);
    return found == nullptr ? NVML_ERROR_NOT_SUPPORTED : FillProfileV(view, *found, info);
  });
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstanceRemainingCapacity(nvmlGpuInstance_t instance,
                                                                unsigned profile_id,
                                                                unsigned* count) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithInstance(__func__, instance, [&](FakeDriver&, const InstanceView& view) {
    const MigComputeProfile* profile = Offered(view, profile_id);
    if (profile == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return Store(count, FreeStarts(view.instance, view.profile, *profile).size());
  });
}
nvmlReturn_t nvmlGpuInstanceGetComputeInstancePossiblePlacements(
    nvmlGpuInstance_t instance, unsigned profile_id, nvmlComputeInstancePlacement_t* placements,
    unsigned* count) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithInstance(__func__, instance, [&](FakeDriver&, const InstanceView& view) {
    const MigComputeProfile* profile = Offered(view, profile_id);
    if (profile == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const unsigned room = *count;
    *count = ComputeInstancesMax(*profile, view.profile.compute_slices);
    if (placements == nullptr) return NVML_SUCCESS;
    if (room < *count) return NVML_ERROR_INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < *count; ++i) placements[i] = {i * profile->stride, profile->slices};
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlGpuInstanceCreateComputeInstance(nvmlGpuInstance_t instance, unsigned profile_id,
                                                  nvmlComputeInstance_t* compute) {
  return Create(__func__, instance, profile_id, nullptr, compute);
}
nvmlReturn_t nvmlGpuInstanceCreateComputeInstanceWithPlacement(
    nvmlGpuInstance_t instance, unsigned profile_id,
    const nvmlComputeInstancePlacement_t* placement, nvmlComputeInstance_t* compute) {
  if (placement == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return Create(__func__, instance, profile_id, placement, compute);
}

nvmlReturn_t nvmlComputeInstanceDestroy(nvmlComputeInstance_t compute) {
  return WithDriver(__func__, std::nullopt, [&](FakeDriver& driver) {
    const nvmlComputeInstance_st* handle = driver.Find(compute);
    if (handle == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return driver.Change([&](FakeCommand* command) {
      if (driver.Find(compute) == nullptr) return NVML_ERROR_NOT_FOUND;
      const GpuState& state = driver.world().gpus[static_cast<size_t>(handle->gpu)];
      for (const auto& [pid, process] : state.processes) {
        if (process.gpu_instance == handle->gpu_instance &&
            process.compute_instance == handle->id) {
          return NVML_ERROR_IN_USE;
        }
      }
      command->verb = "ci-destroy";
      command->arguments = {{"gpu", std::to_string(handle->gpu)},
                            {"gi", std::to_string(handle->gpu_instance)},
                            {"id", std::to_string(handle->id)}};
      return NVML_SUCCESS;
    });
  });
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstances(nvmlGpuInstance_t instance, unsigned profile_id,
                                                nvmlComputeInstance_t* computes, unsigned* count) {
  if (computes == nullptr || count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithInstance(__func__, instance, [&](FakeDriver& driver, const InstanceView& view) {
    *count = 0;
    for (const FakeComputeInstance& compute : view.instance.compute) {
      if (compute.profile == profile_id) {
        computes[(*count)++] = driver.ComputeInstance(view.gpu, view.instance.id, compute.id);
      }
    }
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlGpuInstanceGetComputeInstanceById(nvmlGpuInstance_t instance, unsigned id,
                                                   nvmlComputeInstance_t* compute) {
  if (compute == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithInstance(__func__, instance, [&](FakeDriver& driver, const InstanceView& view) {
    for (const FakeComputeInstance& found : view.instance.compute) {
      if (found.id != id) continue;
      *compute = driver.ComputeInstance(view.gpu, view.instance.id, id);
      return NVML_SUCCESS;
    }
    return NVML_ERROR_NOT_FOUND;
  });
}
nvmlReturn_t nvmlComputeInstanceGetInfo_v2(nvmlComputeInstance_t compute,
                                           nvmlComputeInstanceInfo_t* info) {
  if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithDriver(__func__, std::nullopt, [&](FakeDriver& driver) {
    const nvmlComputeInstance_st* handle = driver.Find(compute);
    if (handle == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const auto& instances = driver.world().gpus[static_cast<size_t>(handle->gpu)].instances;
    for (const FakeComputeInstance& found : instances.at(handle->gpu_instance).compute) {
      if (found.id != handle->id) continue;
      *info = {driver.Device(handle->gpu),
               driver.GpuInstance(handle->gpu, handle->gpu_instance),
               found.id,
               found.profile,
               {found.start, found.size}};
    }
    return NVML_SUCCESS;
  });
}

}  // extern "C"
}  // namespace gp
