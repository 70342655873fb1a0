#pragma once

// The temperatures that a GPU reports: newer models report the distance to the point where clocks
// start to fall ("margin"), older ones only absolute limits.

#include <optional>

#include "adapters/outbound/nvml/abi_readings.h"
#include "fakes/nvml/gpu_state.h"
#include "fakes/nvml/machine.h"

namespace gp {

inline std::optional<int> CurrentTemperature(const MachineGpu& gpu, const GpuState& state) {
  return state.temperature ? state.temperature : gpu.temperature;
}

inline std::optional<int> Threshold(const MachineGpu& gpu, nvmlTemperatureThresholds_t threshold) {
  switch (threshold) {
    case NVML_TEMPERATURE_THRESHOLD_SHUTDOWN: return gpu.shutdown;
    case NVML_TEMPERATURE_THRESHOLD_SLOWDOWN: return gpu.slowdown;
    case NVML_TEMPERATURE_THRESHOLD_MEM_MAX: return gpu.memory_max;
    case NVML_TEMPERATURE_THRESHOLD_GPU_MAX: return gpu.gpu_max;
    default: return std::nullopt;
  }
}

// Degrees left, and a threshold in the same scale (-2: two degrees past the zero point).
inline std::optional<int> Margin(const MachineGpu& gpu, const GpuState& state) {
  const std::optional<int> now = CurrentTemperature(gpu, state);
  if (!now || !gpu.temperature_zero) return std::nullopt;
  return *gpu.temperature_zero - *now;
}
inline std::optional<int> MarginAt(const MachineGpu& gpu, std::optional<int> threshold) {
  if (!threshold || !gpu.temperature_zero) return std::nullopt;
  return *gpu.temperature_zero - *threshold;
}

}  // namespace gp
