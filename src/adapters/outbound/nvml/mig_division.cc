#include "adapters/outbound/nvml/mig_division.h"

#include <algorithm>
#include <optional>

#include "adapters/outbound/nvml/gpu_uuid.h"
#include "base/ignore_result.h"

namespace gp {
namespace {

constexpr unsigned kInstancesMax = 64;  // of one kind; no GPU has more than eight

bool Overlap(const MigStand& a, const nvmlGpuInstancePlacement_t& b) {
  return a.start < b.start + b.size && b.start < a.start + a.size;
}

std::string ToText(const MigStand& stand) {
  return "memory slices " + std::to_string(stand.start) + "+" + std::to_string(stand.size);
}

}  // namespace

Result<MigDivision> MigDivision::Open(std::shared_ptr<const NvmlLibrary> library,
                                      const std::string& uuid) {
  const nvmlDevice_t device = GP_TRY(OpenByUuid(*library, uuid));
  return MigDivision(std::move(library), device);
}

Status MigDivision::Check(nvmlReturn_t result, const std::string& what) const {
  if (result == NVML_SUCCESS) return Ok();
  const std::string message = what + ": " + library_->Explain(result);
  return Fail(result == NVML_ERROR_IN_USE ? Conflict(message) : Unavailable(message));
}

Status MigDivision::EnterMode() {
  unsigned current = NVML_DEVICE_MIG_DISABLE;
  unsigned pending = NVML_DEVICE_MIG_DISABLE;
  GP_CHECK_OK(Check(nvml().DeviceGetMigMode(device_, &current, &pending), "reading its MIG mode"));
  if (current == NVML_DEVICE_MIG_ENABLE) return Ok();
  nvmlReturn_t activation = NVML_SUCCESS;
  GP_CHECK_OK(Check(nvml().DeviceSetMigMode(device_, NVML_DEVICE_MIG_ENABLE, &activation),
                    "turning MIG mode on"));
  return Check(activation, "MIG mode starts at its next reset");
}

std::vector<unsigned> MigDivision::ProfileIds() const {
  std::vector<unsigned> ids;
  for (unsigned profile = 0; profile < NVML_GPU_INSTANCE_PROFILE_COUNT; ++profile) {
    nvmlGpuInstanceProfileInfo_t info = {};
    if (nvml().DeviceGetGpuInstanceProfileInfo(device_, profile, &info) == NVML_SUCCESS)
      ids.push_back(info.id);
  }
  return ids;
}

std::vector<MigDivision::Instance> MigDivision::Instances() const {
  std::vector<Instance> all;
  for (const unsigned profile : ProfileIds()) {
    nvmlGpuInstance_t handles[kInstancesMax] = {};
    unsigned count = kInstancesMax;
    if (nvml().DeviceGetGpuInstances(device_, profile, handles, &count) != NVML_SUCCESS) continue;
    for (unsigned i = 0; i < std::min(count, kInstancesMax); ++i) {
      Instance instance{handles[i], {}};
      if (nvml().GpuInstanceGetInfo(handles[i], &instance.info) == NVML_SUCCESS)
        all.push_back(instance);
    }
  }
  return all;
}

std::vector<nvmlComputeInstanceProfileInfo_t> MigDivision::ComputeProfilesOf(
    const Instance& instance) const {
  std::vector<nvmlComputeInstanceProfileInfo_t> all;
  for (unsigned profile = 0; profile < NVML_COMPUTE_INSTANCE_PROFILE_COUNT; ++profile) {
    nvmlComputeInstanceProfileInfo_t info = {};
    const nvmlReturn_t found = nvml().GpuInstanceGetComputeInstanceProfileInfo(
        instance.handle, profile, NVML_COMPUTE_INSTANCE_ENGINE_PROFILE_SHARED, &info);
    if (found == NVML_SUCCESS) all.push_back(info);
  }
  return all;
}

std::vector<nvmlComputeInstance_t> MigDivision::ComputeInstancesOf(const Instance& instance) const {
  std::vector<nvmlComputeInstance_t> all;
  for (const nvmlComputeInstanceProfileInfo_t& profile : ComputeProfilesOf(instance)) {
    nvmlComputeInstance_t handles[kInstancesMax] = {};
    unsigned count = kInstancesMax;
    if (nvml().GpuInstanceGetComputeInstances(instance.handle, profile.id, handles, &count) !=
        NVML_SUCCESS)
      continue;
    all.insert(all.end(), handles, handles + std::min(count, kInstancesMax));
  }
  return all;
}

Status MigDivision::Remove(const Instance& instance) {
  const std::string what = "removing the instance at " +
                           ToText({instance.info.placement.start, instance.info.placement.size});
  for (const nvmlComputeInstance_t compute : ComputeInstancesOf(instance))
    GP_CHECK_OK(Check(nvml().ComputeInstanceDestroy(compute), what));
  return Check(nvml().GpuInstanceDestroy(instance.handle), what);
}

Status MigDivision::Remove(MigStand stand) {
  for (const Instance& instance : Instances()) {
    if (Overlap(stand, instance.info.placement)) GP_CHECK_OK(Remove(instance));
  }
  return Ok();
}

Status MigDivision::KeepOnly(const std::vector<MigStand>& stands) {
  Status all = Ok();
  for (const Instance& instance : Instances()) {
    const nvmlGpuInstancePlacement_t& at = instance.info.placement;
    const bool stays = std::ranges::any_of(stands, [&](const MigStand& stand) {
      return stand.start == at.start && stand.size == at.size;
    });
    if (stays) continue;
    const Status removed = Remove(instance);
    if (all && !removed) all = removed;
  }
  return all;
}

Result<MigStand> MigDivision::StandOf(unsigned profile, unsigned start) const {
  nvmlGpuInstancePlacement_t places[kInstancesMax] = {};
  unsigned count = 0;
  GP_CHECK_OK(
      Check(nvml().DeviceGetGpuInstancePossiblePlacements_v2(device_, profile, nullptr, &count),
            "asking for places"));
  count = std::min(count, kInstancesMax);
  GP_CHECK_OK(
      Check(nvml().DeviceGetGpuInstancePossiblePlacements_v2(device_, profile, places, &count),
            "asking for places"));
  for (unsigned i = 0; i < std::min(count, kInstancesMax); ++i) {
    if (places[i].start == start) return MigStand{start, places[i].size};
  }
  return Fail(Unavailable("an instance of profile " + std::to_string(profile) +
                          " cannot begin at memory slice " + std::to_string(start)));
}

Result<MigDivision::Instance> MigDivision::Create(unsigned profile, MigStand stand) {
  const nvmlGpuInstancePlacement_t place{stand.start, stand.size};
  Instance made = {};
  GP_CHECK_OK(
      Check(nvml().DeviceCreateGpuInstanceWithPlacement(device_, profile, &place, &made.handle),
            "making an instance at " + ToText(stand)));
  GP_CHECK_OK(
      Check(nvml().GpuInstanceGetInfo(made.handle, &made.info), "reading the new instance"));
  return made;
}

// The compute profile that covers the whole GPU instance.
Result<unsigned> MigDivision::WholeProfileOf(const Instance& instance) const {
  const auto all = ComputeProfilesOf(instance);
  const auto whole =
      std::ranges::max_element(all, {}, &nvmlComputeInstanceProfileInfo_t::sliceCount);
  if (whole == all.end()) return Fail(Unavailable("the instance offers no compute"));
  return whole->id;
}

Result<unsigned> MigDivision::ComputeInstanceOf(const Instance& instance) {
  const unsigned profile = GP_TRY(WholeProfileOf(instance));
  std::vector<nvmlComputeInstance_t> all = ComputeInstancesOf(instance);
  nvmlComputeInstanceInfo_t info = {};
  if (all.size() == 1 && nvml().ComputeInstanceGetInfo_v2(all.front(), &info) == NVML_SUCCESS &&
      info.profileId == profile)
    return info.id;
  for (const nvmlComputeInstance_t part : all)
    GP_CHECK_OK(Check(nvml().ComputeInstanceDestroy(part), "removing a compute instance"));
  nvmlComputeInstance_t made = {};
  GP_CHECK_OK(Check(nvml().GpuInstanceCreateComputeInstance(instance.handle, profile, &made),
                    "creating the compute instance"));
  GP_CHECK_OK(Check(nvml().ComputeInstanceGetInfo_v2(made, &info), "reading the compute instance"));
  return info.id;
}

Result<std::string> MigDivision::UuidOf(unsigned gpu_instance, unsigned compute_instance) const {
  unsigned count = 0;
  GP_CHECK_OK(Check(nvml().DeviceGetMaxMigDeviceCount(device_, &count), "listing MIG devices"));
  for (unsigned i = 0; i < count; ++i) {
    nvmlDevice_t device = {};
    unsigned gi = 0;
    unsigned ci = 0;
    if (nvml().DeviceGetMigDeviceHandleByIndex(device_, i, &device) != NVML_SUCCESS) continue;
    if (nvml().DeviceGetGpuInstanceId(device, &gi) != NVML_SUCCESS ||
        nvml().DeviceGetComputeInstanceId(device, &ci) != NVML_SUCCESS)
      continue;
    if (gi != gpu_instance || ci != compute_instance) continue;
    char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE] = {};
    GP_CHECK_OK(
        Check(nvml().DeviceGetUUID(device, uuid, sizeof uuid), "reading the MIG device's UUID"));
    return std::string(uuid);
  }
  return Fail(Unavailable("the instance that was made is not among the GPU's MIG devices"));
}

Result<MadeInstance> MigDivision::Make(unsigned profile, unsigned start) {
  const MigStand stand = GP_TRY(StandOf(profile, start));
  std::optional<Instance> instance;
  for (const Instance& other : Instances()) {
    const bool is_same = other.info.profileId == profile && other.info.placement.start == start;
    if (is_same) {
      instance = other;
    } else if (Overlap(stand, other.info.placement)) {
      GP_CHECK_OK(Remove(other));
    }
  }
  if (!instance) instance = GP_TRY(Create(profile, stand));
  const auto compute = ComputeInstanceOf(*instance);
  const auto uuid = compute ? UuidOf(instance->info.id, *compute) : Fail(compute.error());
  if (!uuid) {
    IgnoreResult(Remove(*instance), "a GPU instance without a compute instance is useless");
    return Fail(uuid.error());
  }
  return MadeInstance{*uuid, instance->info.id, *compute};
}

}  // namespace gp
