// Modes and other small queries of clients.

#include "fakes/nvml/driver.h"

namespace gp {
namespace {

nvmlReturn_t Disabled(const char* call, nvmlDevice_t device, nvmlEnableState_t* state) {
  return Fact(call, device, state,
              [](const MachineGpu&, const GpuState&) { return NVML_FEATURE_DISABLED; });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return Reading(__func__, device, mode, [](const MachineGpu&, const GpuState& state) {
    return state.persistence ? 1 : 0;
  });
}
nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t* mode) {
  return Reading(__func__, device, mode,
                 [](const MachineGpu&, const GpuState& state) { return state.compute_mode; });
}
nvmlReturn_t nvmlDeviceSetComputeMode(nvmlDevice_t device, nvmlComputeMode_t mode) {
  if (mode > NVML_COMPUTEMODE_EXCLUSIVE_PROCESS) return NVML_ERROR_INVALID_ARGUMENT;
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const int gpu = handle.gpu;
    return driver.Change([&](FakeCommand* command) {
      if (IsUnreachable(driver.world().gpus[static_cast<size_t>(gpu)])) {
        return NVML_ERROR_GPU_IS_LOST;
      }
      command->verb = "compute-mode";
      command->arguments = {{"gpu", std::to_string(gpu)}, {"mode", std::to_string(mode)}};
      return NVML_SUCCESS;
    });
  });
}
nvmlReturn_t nvmlDeviceGetDisplayMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return Disabled(__func__, device, mode);
}
nvmlReturn_t nvmlDeviceGetDisplayActive(nvmlDevice_t device, nvmlEnableState_t* active) {
  return Disabled(__func__, device, active);
}
nvmlReturn_t nvmlDeviceGetAccountingMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return Disabled(__func__, device, mode);
}
nvmlReturn_t nvmlDeviceGetVirtualizationMode(nvmlDevice_t device, unsigned* mode) {
  return Fact(__func__, device, mode, [](const MachineGpu&, const GpuState&) { return 0; });
}
// Performance metrics need Hopper or later; the fake has none to give.
nvmlReturn_t nvmlGpmQueryDeviceSupport(nvmlDevice_t device, nvmlGpmSupport_t* support) {
  if (support == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return Fact(__func__, device, &support->isSupportedDevice,
              [](const MachineGpu&, const GpuState&) { return 0; });
}

}  // extern "C"
}  // namespace gp
