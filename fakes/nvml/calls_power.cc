// Temperature, power, clocks and modes.

#include "fakes/nvml/driver.h"
#include "fakes/nvml/thresholds.h"

namespace gp {
namespace {

std::optional<int> Milli(std::optional<int> value) {
  if (!value) return std::nullopt;
  return *value * 1000;
}

std::optional<int> CurrentClock(const MachineGpu& gpu, const GpuState& state,
                                nvmlClockType_t type) {
  switch (type) {
    case NVML_CLOCK_GRAPHICS:
    case NVML_CLOCK_SM: return state.sm_clock_mhz ? state.sm_clock_mhz : gpu.sm;
    case NVML_CLOCK_MEM: return gpu.memory;
    case NVML_CLOCK_VIDEO: return gpu.video;
  }
  return std::nullopt;
}

std::optional<int> MaxClock(const MachineGpu& gpu, nvmlClockType_t type) {
  switch (type) {
    case NVML_CLOCK_GRAPHICS:
    case NVML_CLOCK_SM: return gpu.sm_max;
    case NVML_CLOCK_MEM: return gpu.memory_max_clock;
    case NVML_CLOCK_VIDEO: return gpu.video_max;
  }
  return std::nullopt;
}

nvmlReturn_t PowerLimit(const char* call, nvmlDevice_t device, unsigned* milliwatts) {
  return Reading(call, device, milliwatts,
                 [](const MachineGpu& gpu, const GpuState&) { return Milli(gpu.power_limit); });
}

nvmlReturn_t MaximumClock(const char* call, nvmlDevice_t device, nvmlClockType_t type,
                          unsigned* mhz) {
  return Reading(call, device, mhz,
                 [&](const MachineGpu& gpu, const GpuState&) { return MaxClock(gpu, type); });
}

nvmlReturn_t ClocksReasons(const char* call, nvmlDevice_t device, unsigned long long* reasons) {
  return Reading(call, device, reasons,
                 [](const MachineGpu&, const GpuState& state) { return state.throttle; });
}

nvmlReturn_t SupportedReasons(const char* call, nvmlDevice_t device, unsigned long long* reasons) {
  return Reading(call, device, reasons, [](const MachineGpu&, const GpuState&) { return 0x1ff; });
}

nvmlReturn_t PerformanceState(const char* call, nvmlDevice_t device, nvmlPstates_t* state) {
  return Reading(call, device, state,
                 [](const MachineGpu&, const GpuState&) { return NVML_PSTATE_0; });
}

// Only one clock is supported, so that clients that list them print a true value.
nvmlReturn_t OneClock(std::optional<int> mhz, unsigned* count, unsigned* clocks) {
  if (!mhz) return NVML_ERROR_NOT_SUPPORTED;
  const unsigned room = clocks == nullptr ? 0 : *count;
  *count = 1;
  if (room < 1) return NVML_ERROR_INSUFFICIENT_SIZE;
  clocks[0] = static_cast<unsigned>(*mhz);
  return NVML_SUCCESS;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor,
                                      unsigned* celsius) {
  if (sensor != NVML_TEMPERATURE_GPU) return NVML_ERROR_INVALID_ARGUMENT;
  return Reading(__func__, device, celsius, [](const MachineGpu& gpu, const GpuState& state) {
    return CurrentTemperature(gpu, state);
  });
}
nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_v1_t* temperature) {
  if (temperature == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (temperature->version != NvmlStructVersion<nvmlTemperature_v1_t>(1)) {
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  return Reading(
      __func__, device, &temperature->temperature,
      [](const MachineGpu& gpu, const GpuState& state) { return CurrentTemperature(gpu, state); });
}
nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device,
                                               nvmlTemperatureThresholds_t threshold,
                                               unsigned* celsius) {
  return Reading(__func__, device, celsius,
                 [&](const MachineGpu& gpu, const GpuState&) { return Threshold(gpu, threshold); });
}
nvmlReturn_t nvmlDeviceGetMarginTemperature(nvmlDevice_t device,
                                            nvmlMarginTemperature_v1_t* margin) {
  if (margin == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (margin->version != NvmlStructVersion<nvmlMarginTemperature_v1_t>(1)) {
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  return Reading(__func__, device, &margin->marginTemperature,
                 [](const MachineGpu& gpu, const GpuState& state) { return Margin(gpu, state); });
}

nvmlReturn_t nvmlDeviceGetNumFans(nvmlDevice_t device, unsigned* fans) {
  return Fact(__func__, device, fans,
              [](const MachineGpu& gpu, const GpuState&) { return gpu.fans; });
}
nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned* percent) {
  return Reading(__func__, device, percent,
                 [](const MachineGpu& gpu, const GpuState&) -> std::optional<int> {
                   if (gpu.fans == 0) return std::nullopt;
                   return 30;
                 });
}
nvmlReturn_t nvmlDeviceGetFanSpeed_v2(nvmlDevice_t device, unsigned, unsigned* percent) {
  return nvmlDeviceGetFanSpeed(device, percent);
}

nvmlReturn_t nvmlDeviceGetPowerManagementMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return Reading(__func__, device, mode,
                 [](const MachineGpu&, const GpuState&) { return NVML_FEATURE_ENABLED; });
}
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned* milliwatts) {
  return Reading(__func__, device, milliwatts, [](const MachineGpu& gpu, const GpuState& state) {
    return Milli(state.power_watts ? state.power_watts : gpu.power_idle);
  });
}
nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned* milliwatts) {
  return PowerLimit(__func__, device, milliwatts);
}
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned* milliwatts) {
  return PowerLimit(__func__, device, milliwatts);
}
nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t device, unsigned* milliwatts) {
  return PowerLimit(__func__, device, milliwatts);
}
nvmlReturn_t nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t device, unsigned* least,
                                                          unsigned* most) {
  if (least == nullptr || most == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithReading(__func__, device, [&](const MachineGpu& gpu, const GpuState&) {
    if (Store(least, Milli(gpu.power_min)) != NVML_SUCCESS) return NVML_ERROR_NOT_SUPPORTED;
    return Store(most, Milli(gpu.power_max));
  });
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned* mhz) {
  return Reading(__func__, device, mhz, [&](const MachineGpu& gpu, const GpuState& state) {
    return CurrentClock(gpu, state, type);
  });
}
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned* mhz) {
  return MaximumClock(__func__, device, type, mhz);
}
nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t type,
                                            unsigned* mhz) {
  return MaximumClock(__func__, device, type, mhz);
}
nvmlReturn_t nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t device, nvmlClockType_t type,
                                                   unsigned* mhz) {
  return MaximumClock(__func__, device, type, mhz);
}
nvmlReturn_t nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t type, nvmlClockId_t id,
                                unsigned* mhz) {
  return Reading(__func__, device, mhz, [&](const MachineGpu& gpu, const GpuState& state) {
    return id == NVML_CLOCK_ID_CURRENT ? CurrentClock(gpu, state, type) : MaxClock(gpu, type);
  });
}
nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned* count,
                                                unsigned* clocks) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithReading(__func__, device, [&](const MachineGpu& gpu, const GpuState&) {
    return OneClock(gpu.memory_max_clock, count, clocks);
  });
}
nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t device, unsigned, unsigned* count,
                                                  unsigned* clocks) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithReading(__func__, device, [&](const MachineGpu& gpu, const GpuState&) {
    return OneClock(gpu.sm_max, count, clocks);
  });
}
nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t* state) {
  return PerformanceState(__func__, device, state);
}
nvmlReturn_t nvmlDeviceGetPowerState(nvmlDevice_t device, nvmlPstates_t* state) {
  return PerformanceState(__func__, device, state);
}
nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device,
                                                    unsigned long long* reasons) {
  return ClocksReasons(__func__, device, reasons);
}
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device,
                                                       unsigned long long* reasons) {
  return ClocksReasons(__func__, device, reasons);
}
nvmlReturn_t nvmlDeviceGetSupportedClocksEventReasons(nvmlDevice_t device,
                                                      unsigned long long* reasons) {
  return SupportedReasons(__func__, device, reasons);
}
nvmlReturn_t nvmlDeviceGetSupportedClocksThrottleReasons(nvmlDevice_t device,
                                                         unsigned long long* reasons) {
  return SupportedReasons(__func__, device, reasons);
}

}  // extern "C"
}  // namespace gp
