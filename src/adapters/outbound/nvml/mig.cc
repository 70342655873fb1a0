#include "adapters/outbound/nvml/mig.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace gp {
namespace {

// "MIG 1g.10gb" -> "1g.10gb".
std::string PlainName(const char* name, size_t size) {
  std::string text(name, strnlen(name, size));
  constexpr std::string_view kPrefix = "MIG ";
  return text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
}

// NVIDIA's name of a profile, composed from its numbers for drivers that give no names.
std::string ComposedName(unsigned profile, unsigned slices, unsigned long long memory_mib) {
  const unsigned long long gigabytes = (memory_mib + 1023) / 1024;
  const bool has_media_engines = profile == NVML_GPU_INSTANCE_PROFILE_1_SLICE_REV1 ||
                                 profile == NVML_GPU_INSTANCE_PROFILE_2_SLICE_REV1;
  return std::to_string(slices) + "g." + std::to_string(gigabytes) + "gb" +
         (has_media_engines ? "+me" : "");
}

// NVML has three versions of the same answer.
template <typename Answer>
MigProfileInfo ToProfile(const Answer& answer, std::string name) {
  MigProfileInfo profile;
  profile.id = static_cast<int>(answer.id);
  profile.name = std::move(name);
  profile.compute_slices = static_cast<int>(answer.sliceCount);
  profile.memory_mib = static_cast<int>(answer.memorySizeMB);
  profile.instances_max = static_cast<int>(answer.instanceCount);
  return profile;
}

std::optional<MigProfileInfo> ReadProfile(GpuInquiry* gpu, unsigned profile) {
  nvmlGpuInstanceProfileInfo_v2_t named = {};
  named.version = NvmlStructVersion<nvmlGpuInstanceProfileInfo_v2_t>(2);
  const auto& nvml = gpu->nvml;
  if (gpu->Query(nvml.DeviceGetGpuInstanceProfileInfoV, profile, &named) == NVML_SUCCESS) {
    return ToProfile(named, PlainName(named.name, sizeof named.name));
  }
  // This path also handles every profile that this GPU does not offer.
  nvmlGpuInstanceProfileInfo_t plain = {};
  if (gpu->Query(nvml.DeviceGetGpuInstanceProfileInfo, profile, &plain) != NVML_SUCCESS) {
    return std::nullopt;
  }
  return ToProfile(plain, ComposedName(profile, plain.sliceCount, plain.memorySizeMB));
}

std::vector<MigPlacement> ReadPlacements(GpuInquiry* gpu, unsigned profile_id) {
  const auto& function = gpu->nvml.DeviceGetGpuInstancePossiblePlacements_v2;
  unsigned count = 0;
  if (!gpu->Ask(function, profile_id, static_cast<nvmlGpuInstancePlacement_t*>(nullptr), &count)) {
    return {};
  }
  std::vector<nvmlGpuInstancePlacement_t> answers(count);
  if (count == 0 || !gpu->Ask(function, profile_id, answers.data(), &count)) return {};
  answers.resize(std::min<size_t>(count, answers.size()));
  std::vector<MigPlacement> placements;
  for (const nvmlGpuInstancePlacement_t& answer : answers) {
    placements.push_back({static_cast<int>(answer.start), static_cast<int>(answer.size)});
  }
  return placements;
}

}  // namespace

void ReadMig(GpuInquiry* gpu, GpuIdentity* identity) {
  unsigned current = NVML_DEVICE_MIG_DISABLE;
  unsigned pending = NVML_DEVICE_MIG_DISABLE;
  identity->mig_capable = gpu->Ask(gpu->nvml.DeviceGetMigMode, &current, &pending);
  identity->mig_enabled = current == NVML_DEVICE_MIG_ENABLE;
  if (!identity->mig_capable) return;
  for (unsigned profile = 0; profile < NVML_GPU_INSTANCE_PROFILE_COUNT; ++profile) {
    std::optional<MigProfileInfo> found = ReadProfile(gpu, profile);
    if (!found) continue;
    found->placements = ReadPlacements(gpu, static_cast<unsigned>(found->id));
    identity->mig_profiles.push_back(*std::move(found));
  }
}

}  // namespace gp
