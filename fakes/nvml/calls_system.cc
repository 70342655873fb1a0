// The library, the driver, and handles.

#include <cstdio>
#include <string>

#include "fakes/nvml/driver.h"

namespace gp {
namespace {

const char* ErrorText(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS: return "Success";
    case NVML_ERROR_UNINITIALIZED: return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT: return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED: return "Not Supported";
    case NVML_ERROR_NO_PERMISSION: return "Insufficient Permissions";
    case NVML_ERROR_NOT_FOUND: return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE: return "Insufficient Size";
    case NVML_ERROR_DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case NVML_ERROR_TIMEOUT: return "Timeout";
    case NVML_ERROR_GPU_IS_LOST: return "GPU is lost";
    case NVML_ERROR_RESET_REQUIRED: return "GPU requires reset";
    case NVML_ERROR_LIB_RM_VERSION_MISMATCH: return "Driver/library version mismatch";
    case NVML_ERROR_IN_USE: return "In use by another client";
    case NVML_ERROR_INSUFFICIENT_RESOURCES: return "Insufficient Resources";
    case NVML_ERROR_ARGUMENT_VERSION_MISMATCH: return "Argument version mismatch";
    case NVML_ERROR_NOT_READY: return "Not Ready";
    default: return "Unknown Error";
  }
}

// A command can make initialisation hang, as with a wedged real driver.
nvmlReturn_t Initialise(const char* call) {
  const nvmlReturn_t result = FakeDriver::Get().Init();
  if (result != NVML_SUCCESS) return result;
  return WithDriver(call, std::nullopt, [](FakeDriver&) { return NVML_SUCCESS; });
}

int GpuAt(unsigned index) {
  FakeDriver& driver = FakeDriver::Get();
  const std::lock_guard lock(driver.mutex());
  return driver.GpuAt(index);
}

// The first GPU for which `is` holds, as a handle.
template <typename Is>
nvmlReturn_t HandleOf(const char* call, nvmlDevice_t* device, Is is) {
  if (device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithDriver(call, std::nullopt, [&](FakeDriver& driver) {
    const auto& gpus = driver.world().machine.gpus;
    for (const int gpu : driver.listed()) {
      if (!is(gpus[static_cast<size_t>(gpu)])) continue;
      if (driver.WasLostAtInit(gpu)) return NVML_ERROR_GPU_IS_LOST;
      *device = driver.Device(gpu);
      return NVML_SUCCESS;
    }
    return NVML_ERROR_NOT_FOUND;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlInit_v2() { return Initialise(__func__); }
nvmlReturn_t nvmlInit() { return Initialise(__func__); }
nvmlReturn_t nvmlInitWithFlags(unsigned) { return Initialise(__func__); }
nvmlReturn_t nvmlShutdown() { return FakeDriver::Get().Shutdown(); }
const char* nvmlErrorString(nvmlReturn_t result) { return ErrorText(result); }

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned length) {
  return WithDriver(__func__, std::nullopt, [&](FakeDriver& driver) {
    return CopyText(driver.world().machine.driver_version, version, length);
  });
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned length) {
  return WithDriver(__func__, std::nullopt, [&](FakeDriver& driver) {
    const Machine& machine = driver.world().machine;
    const std::string api = machine.cuda_version.substr(0, machine.cuda_version.find('.'));
    return CopyText(api + "." + machine.driver_version, version, length);
  });
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) {
  if (version == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithDriver(__func__, std::nullopt, [&](FakeDriver& driver) {
    int major = 0, minor = 0;
    std::sscanf(driver.world().machine.cuda_version.c_str(), "%d.%d", &major, &minor);
    *version = major * 1000 + minor * 10;
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
  return nvmlSystemGetCudaDriverVersion_v2(version);
}

nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char* name, unsigned length) {
  return WithDriver(__func__, std::nullopt, [&](FakeDriver& driver) {
    for (const GpuState& state : driver.world().gpus) {
      const auto found = state.processes.find(pid);
      if (found != state.processes.end()) return CopyText(found->second.name, name, length);
    }
    return NVML_ERROR_NOT_FOUND;
  });
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithDriver(__func__, std::nullopt, [&](FakeDriver& driver) {
    *count = static_cast<unsigned>(driver.listed().size());
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetCount(unsigned* count) { return nvmlDeviceGetCount_v2(count); }

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  if (device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithDriver(__func__, GpuAt(index), [&](FakeDriver& driver) {
    const int gpu = driver.GpuAt(index);
    if (gpu < 0) return NVML_ERROR_INVALID_ARGUMENT;
    if (driver.WasLostAtInit(gpu)) return NVML_ERROR_GPU_IS_LOST;
    *device = driver.Device(gpu);
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t* device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}

nvmlReturn_t nvmlDeviceGetHandleBySerial(const char* serial, nvmlDevice_t* device) {
  if (serial == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return HandleOf(__func__, device, [&](const MachineGpu& gpu) { return gpu.serial == serial; });
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, nvmlDevice_t* device) {
  const auto place = ParsePciPlace(bus_id == nullptr ? "" : bus_id);
  if (!place) return NVML_ERROR_INVALID_ARGUMENT;
  return HandleOf(__func__, device, [&](const MachineGpu& gpu) { return gpu.pci == *place; });
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* bus_id, nvmlDevice_t* device) {
  return nvmlDeviceGetHandleByPciBusId_v2(bus_id, device);
}

// GPUs that the administrator excludes from NVML: there are none.
nvmlReturn_t nvmlGetExcludedDeviceCount(unsigned* count) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *count = 0;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlGetBlacklistDeviceCount(unsigned* count) {
  return nvmlGetExcludedDeviceCount(count);
}

}  // extern "C"
}  // namespace gp
