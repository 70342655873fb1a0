#pragma once

// The functions of NVML that the adapter calls, each looked up at run time.  A function that the
// loaded driver lacks answers NVML_ERROR_FUNCTION_NOT_FOUND, so callers need no separate check.

#include "adapters/outbound/nvml/abi.h"

namespace gp {

template <typename Signature>
struct NvmlFunction;

template <typename... Args>
struct NvmlFunction<nvmlReturn_t(Args...)> {
  const char* name;
  nvmlReturn_t (*address)(Args...) = nullptr;

  nvmlReturn_t operator()(Args... args) const {
    return address == nullptr ? NVML_ERROR_FUNCTION_NOT_FOUND : address(args...);
  }
};

// Names are without the prefix nvml.  Indispensable: a driver that lacks one of these cannot be
// used.
#define GP_NVML_INDISPENSABLE(X) \
  X(Init_v2)                     \
  X(Shutdown)                    \
  X(DeviceGetCount_v2)           \
  X(DeviceGetHandleByIndex_v2)   \
  X(DeviceGetUUID)               \
  X(DeviceGetPciInfo_v3)         \
  X(DeviceGetMemoryInfo)

#define GP_NVML_OPTIONAL(X)                    \
  X(DeviceGetHandleByUUID)                     \
  X(SystemGetDriverVersion)                    \
  X(SystemGetNVMLVersion)                      \
  X(SystemGetCudaDriverVersion)                \
  X(SystemGetCudaDriverVersion_v2)             \
  X(DeviceGetName)                             \
  X(DeviceGetSerial)                           \
  X(DeviceGetMinorNumber)                      \
  X(DeviceGetVbiosVersion)                     \
  X(DeviceGetCudaComputeCapability)            \
  X(DeviceGetMemoryInfo_v2)                    \
  X(DeviceGetEnforcedPowerLimit)               \
  X(DeviceGetPowerManagementLimit)             \
  X(DeviceGetTemperatureThreshold)             \
  X(DeviceGetTemperature)                      \
  X(DeviceGetTemperatureV)                     \
  X(DeviceGetPowerUsage)                       \
  X(DeviceGetUtilizationRates)                 \
  X(DeviceGetClockInfo)                        \
  X(DeviceGetCurrentClocksEventReasons)        \
  X(DeviceGetCurrentClocksThrottleReasons)     \
  X(DeviceGetEccMode)                          \
  X(DeviceGetTotalEccErrors)                   \
  X(DeviceGetRemappedRows)                     \
  X(DeviceGetFieldValues)                      \
  X(DeviceGetComputeRunningProcesses)          \
  X(DeviceGetComputeRunningProcesses_v2)       \
  X(DeviceGetComputeRunningProcesses_v3)       \
  X(DeviceGetMPSComputeRunningProcesses_v3)    \
  X(DeviceGetNvLinkState)                      \
  X(DeviceGetNvLinkRemotePciInfo_v2)           \
  X(DeviceGetNvLinkRemoteDeviceType)           \
  X(DeviceGetMigMode)                          \
  X(DeviceGetGpuInstanceProfileInfo)           \
  X(DeviceGetGpuInstanceProfileInfoV)          \
  X(DeviceGetGpuInstancePossiblePlacements_v2) \
  X(DeviceSetMigMode)                          \
  X(DeviceGetGpuInstances)                     \
  X(DeviceCreateGpuInstanceWithPlacement)      \
  X(DeviceGetMaxMigDeviceCount)                \
  X(DeviceGetMigDeviceHandleByIndex)           \
  X(DeviceGetGpuInstanceId)                    \
  X(DeviceGetComputeInstanceId)                \
  X(GpuInstanceDestroy)                        \
  X(GpuInstanceGetInfo)                        \
  X(GpuInstanceGetComputeInstanceProfileInfo)  \
  X(GpuInstanceGetComputeInstances)            \
  X(GpuInstanceCreateComputeInstance)          \
  X(ComputeInstanceDestroy)                    \
  X(ComputeInstanceGetInfo_v2)                 \
  X(DeviceRegisterEvents)                      \
  X(EventSetCreate)                            \
  X(EventSetFree)                              \
  X(EventSetWait)                              \
  X(EventSetWait_v2)

#define GP_NVML_MEMBER(function) NvmlFunction<decltype(nvml##function)> function{"nvml" #function};
// All functions of one loaded library; read-only after loading, so any thread may call them.
struct NvmlFunctions {
  GP_NVML_INDISPENSABLE(GP_NVML_MEMBER)
  GP_NVML_OPTIONAL(GP_NVML_MEMBER)
  const char* (*ErrorString)(nvmlReturn_t) = nullptr;
};
#undef GP_NVML_MEMBER

}  // namespace gp
