#include "adapters/outbound/nvml/health.h"

#include "adapters/outbound/nvml/gpu_uuid.h"
#include "adapters/outbound/nvml/links.h"
#include "adapters/outbound/nvml/processes.h"
#include "adapters/outbound/nvml/units.h"

namespace gp {
namespace {

// The first driver with a meaningful recovery action.
constexpr int kRecoveryActionDriver = 565;

std::optional<int> ReadTemperature(GpuInquiry* gpu) {
  unsigned celsius = 0;
  if (gpu->Ask(gpu->nvml.DeviceGetTemperature, NVML_TEMPERATURE_GPU, &celsius)) {
    return static_cast<int>(celsius);
  }
  nvmlTemperature_v1_t newer = {};
  newer.version = NvmlStructVersion<nvmlTemperature_v1_t>(1);
  newer.sensorType = NVML_TEMPERATURE_GPU;
  if (gpu->Ask(gpu->nvml.DeviceGetTemperatureV, &newer)) return newer.temperature;
  return std::nullopt;
}

std::optional<int> ReadPower(GpuInquiry* gpu) {
  unsigned milliwatts = 0;
  if (!gpu->Ask(gpu->nvml.DeviceGetPowerUsage, &milliwatts)) return std::nullopt;
  return static_cast<int>((milliwatts + kMilliwattsPerWatt / 2) / kMilliwattsPerWatt);
}

std::optional<int> ReadUtilization(GpuInquiry* gpu) {
  nvmlUtilization_t utilization = {};
  if (!gpu->Ask(gpu->nvml.DeviceGetUtilizationRates, &utilization)) return std::nullopt;
  return static_cast<int>(utilization.gpu);
}

// The second version excludes the driver's reserve from "used"; the rest is what jobs use.
std::optional<int64_t> ReadMemoryUsed(GpuInquiry* gpu) {
  nvmlMemory_v2_t memory = {};
  memory.version = NvmlStructVersion<nvmlMemory_v2_t>(2);
  if (gpu->Ask(gpu->nvml.DeviceGetMemoryInfo_v2, &memory)) {
    return static_cast<int64_t>(memory.used / kMib);
  }
  nvmlMemory_t plain = {};
  if (!gpu->Ask(gpu->nvml.DeviceGetMemoryInfo, &plain)) return std::nullopt;
  return static_cast<int64_t>(plain.used / kMib);
}

std::optional<int> ReadClock(GpuInquiry* gpu, nvmlClockType_t clock) {
  unsigned mhz = 0;
  if (!gpu->Ask(gpu->nvml.DeviceGetClockInfo, clock, &mhz)) return std::nullopt;
  return static_cast<int>(mhz);
}

std::optional<int64_t> ReadEccCount(GpuInquiry* gpu, nvmlMemoryErrorType_t type,
                                    nvmlEccCounterType_t counter) {
  unsigned long long count = 0;
  if (!gpu->Ask(gpu->nvml.DeviceGetTotalEccErrors, type, counter, &count)) return std::nullopt;
  return static_cast<int64_t>(count);
}

// All four counts or none: a GPU with ECC off reports no counts, which differs from zero errors.
std::optional<EccCounts> ReadEcc(GpuInquiry* gpu) {
  nvmlEnableState_t current = NVML_FEATURE_DISABLED;
  nvmlEnableState_t pending = NVML_FEATURE_DISABLED;
  if (!gpu->Ask(gpu->nvml.DeviceGetEccMode, &current, &pending) ||
      current != NVML_FEATURE_ENABLED) {
    return std::nullopt;
  }
  const auto corrected = NVML_MEMORY_ERROR_TYPE_CORRECTED;
  const auto uncorrected = NVML_MEMORY_ERROR_TYPE_UNCORRECTED;
  const auto corrected_volatile = ReadEccCount(gpu, corrected, NVML_VOLATILE_ECC);
  const auto uncorrected_volatile = ReadEccCount(gpu, uncorrected, NVML_VOLATILE_ECC);
  const auto corrected_aggregate = ReadEccCount(gpu, corrected, NVML_AGGREGATE_ECC);
  const auto uncorrected_aggregate = ReadEccCount(gpu, uncorrected, NVML_AGGREGATE_ECC);
  if (!corrected_volatile || !uncorrected_volatile || !corrected_aggregate ||
      !uncorrected_aggregate) {
    return std::nullopt;
  }
  return EccCounts{*corrected_volatile, *uncorrected_volatile, *corrected_aggregate,
                   *uncorrected_aggregate};
}

std::optional<RowRemap> ReadRowRemap(GpuInquiry* gpu) {
  unsigned corrected = 0;
  unsigned uncorrected = 0;
  unsigned pending = 0;
  unsigned failed = 0;
  if (!gpu->Ask(gpu->nvml.DeviceGetRemappedRows, &corrected, &uncorrected, &pending, &failed)) {
    return std::nullopt;
  }
  return RowRemap{static_cast<int>(corrected), static_cast<int>(uncorrected), pending != 0,
                  failed != 0};
}

std::optional<RecoveryAction> ReadRecoveryAction(GpuInquiry* gpu, int driver_major) {
  if (driver_major < kRecoveryActionDriver) return std::nullopt;
  nvmlFieldValue_t field = {};
  field.fieldId = NVML_FI_DEV_GET_GPU_RECOVERY_ACTION;
  if (!gpu->Ask(gpu->nvml.DeviceGetFieldValues, 1, &field) || field.nvmlReturn != NVML_SUCCESS) {
    return std::nullopt;
  }
  switch (field.value.uiVal) {
    case NVML_GPU_RECOVERY_ACTION_NONE: return RecoveryAction::kNone;
    case NVML_GPU_RECOVERY_ACTION_GPU_RESET: return RecoveryAction::kGpuReset;
    case NVML_GPU_RECOVERY_ACTION_NODE_REBOOT: return RecoveryAction::kNodeReboot;
    case NVML_GPU_RECOVERY_ACTION_DRAIN_P2P: return RecoveryAction::kDrainP2p;
    case NVML_GPU_RECOVERY_ACTION_DRAIN_AND_RESET: return RecoveryAction::kDrainAndReset;
    default: return std::nullopt;  // from a driver newer than this list
  }
}

struct ThrottleReason {
  unsigned long long bit;
  const char* name;
};
// Idle is left out: it lowers clocks too, but does not throttle the GPU.
constexpr ThrottleReason kThrottleReasons[] = {
    {nvmlClocksEventReasonApplicationsClocksSetting, "applications-clocks"},
    {nvmlClocksEventReasonSwPowerCap, "sw-power-cap"},
    {nvmlClocksThrottleReasonHwSlowdown, "hw-slowdown"},
    {nvmlClocksEventReasonSyncBoost, "sync-boost"},
    {nvmlClocksEventReasonSwThermalSlowdown, "sw-thermal-slowdown"},
    {nvmlClocksThrottleReasonHwThermalSlowdown, kHardwareThermalSlowdown},
    {nvmlClocksThrottleReasonHwPowerBrakeSlowdown, "hw-power-brake"},
    {nvmlClocksEventReasonDisplayClockSetting, "display-clocks"},
};

std::vector<std::string> ReadThrottleReasons(GpuInquiry* gpu) {
  unsigned long long bits = 0;
  if (!gpu->Ask(gpu->nvml.DeviceGetCurrentClocksEventReasons, &bits) &&
      !gpu->Ask(gpu->nvml.DeviceGetCurrentClocksThrottleReasons, &bits)) {
    return {};
  }
  std::vector<std::string> names;
  for (const ThrottleReason& reason : kThrottleReasons) {
    if ((bits & reason.bit) != 0) names.push_back(reason.name);
  }
  return names;
}

}  // namespace

GpuHealth ReadHealth(GpuInquiry* gpu, int driver_major) {
  GpuHealth health;
  health.uuid = ReadUuid(gpu);
  health.temperature_c = ReadTemperature(gpu);
  health.power_watts = ReadPower(gpu);
  health.utilization_percent = ReadUtilization(gpu);
  health.memory_used_mib = ReadMemoryUsed(gpu);
  health.sm_clock_mhz = ReadClock(gpu, NVML_CLOCK_SM);
  health.memory_clock_mhz = ReadClock(gpu, NVML_CLOCK_MEM);
  health.ecc = ReadEcc(gpu);
  health.row_remap = ReadRowRemap(gpu);
  health.recovery_action = ReadRecoveryAction(gpu, driver_major);
  health.throttle_reasons = ReadThrottleReasons(gpu);
  if (const std::optional<NvlinkCount> links = CountNvlinks(gpu)) {
    health.nvlinks_active = links->active;
    health.nvlinks_total = links->total;
  }
  health.processes = ReadProcesses(gpu);
  // Readings from before the loss are stale: a lost GPU has none.
  if (gpu->lost()) health = GpuHealth();
  health.lost = gpu->lost();
  health.index = gpu->index();
  return health;
}

}  // namespace gp
