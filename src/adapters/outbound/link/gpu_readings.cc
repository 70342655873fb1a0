#include "adapters/outbound/link/gpu_readings.h"
#include "base/units.h"

#include <algorithm>

namespace gp {
namespace {

const char* Name(RecoveryAction action) {
  switch (action) {
    case RecoveryAction::kNone: return "none";
    case RecoveryAction::kGpuReset: return "gpu-reset";
    case RecoveryAction::kNodeReboot: return "node-reboot";
    case RecoveryAction::kDrainP2p: return "drain-p2p";
    case RecoveryAction::kDrainAndReset: return "drain-and-reset";
  }
  return "none";
}

void ToProto(const GpuHealth& health, v1::GpuReadings* message) {
  message->set_lost(health.lost);
  if (health.temperature_c) message->set_temperature_celsius(*health.temperature_c);
  if (health.power_watts) message->set_power_watts(*health.power_watts);
  if (health.utilization_percent) message->set_utilization_percent(*health.utilization_percent);
  if (health.memory_used_mib) message->set_memory_used_bytes(*health.memory_used_mib * kMiB);
  if (health.ecc) {
    message->set_ecc_corrected(health.ecc->corrected_volatile);
    message->set_ecc_uncorrected(health.ecc->uncorrected_volatile);
  }
  if (health.row_remap) {
    message->set_row_remap_pending(health.row_remap->pending);
    message->set_row_remap_failed(health.row_remap->failed);
  }
  if (health.nvlinks_active) message->set_nvlinks_active(*health.nvlinks_active);
  if (health.nvlinks_total) message->set_nvlinks_total(*health.nvlinks_total);
  if (health.recovery_action) message->set_recovery_action(Name(*health.recovery_action));
  for (const std::string& reason : health.throttle_reasons) message->add_throttle_reasons(reason);
}

void ToProto(const GpuReading& reading, v1::GpuReadings* message) {
  message->set_age_seconds(static_cast<double>(reading.age_ns) / 1e9);
  message->set_stale(!reading.health || reading.age_ns > kReadingStaleAfter.ns);
  if (!message->stale()) ToProto(*reading.health, message);
}

std::string ComputeCapability(const GpuIdentity& gpu) {
  if (!gpu.compute_capability_major) return "";
  const int minor = gpu.compute_capability_minor.value_or(0);
  return std::to_string(*gpu.compute_capability_major) + "." + std::to_string(minor);
}

void ToProto(const GpuIdentity& gpu, v1::GpuReadings* message) {
  message->set_serial(gpu.serial);
  message->set_vbios(gpu.vbios);
  message->set_compute_capability(ComputeCapability(gpu));
  for (const MigProfileInfo& profile : gpu.mig_profiles) message->add_mig_profiles(profile.name);
  if (gpu.temperature_slowdown_c)
    message->set_temperature_slowdown_celsius(*gpu.temperature_slowdown_c);
  if (gpu.temperature_shutdown_c)
    message->set_temperature_shutdown_celsius(*gpu.temperature_shutdown_c);
  if (gpu.power_limit_watts) message->set_power_limit_watts(*gpu.power_limit_watts);
}

}  // namespace

v1::GpuReadings ReadingsOf(const GpuReading& reading, size_t position,
                           const std::vector<GpuIdentity>& gpus) {
  v1::GpuReadings message;
  ToProto(reading, &message);
  if (reading.health) {
    message.set_uuid(reading.health->uuid);
  } else if (position < gpus.size()) {
    message.set_uuid(gpus[position].uuid);
  }
  const auto identity = std::ranges::find(gpus, message.uuid(), &GpuIdentity::uuid);
  if (identity != gpus.end()) ToProto(*identity, &message);
  return message;
}

}  // namespace gp
