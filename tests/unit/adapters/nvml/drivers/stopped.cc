// The driver's library on a host where the driver does not work: every start fails with the code
// in TEST_NVML_INIT.

#include <cstdlib>

#include "adapters/outbound/nvml/abi.h"

extern "C" {

nvmlReturn_t nvmlInit_v2() {
  const char* code = std::getenv("TEST_NVML_INIT");
  if (code == nullptr) return NVML_ERROR_UNKNOWN;
  return static_cast<nvmlReturn_t>(std::atoi(code));
}
const char* nvmlErrorString(nvmlReturn_t result) {
  return result == NVML_ERROR_DRIVER_NOT_LOADED ? "Driver Not Loaded" : "Something Else";
}
nvmlReturn_t nvmlShutdown() { std::abort(); }  // nobody may stop what never started
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned*) { return NVML_ERROR_UNINITIALIZED; }
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned, nvmlDevice_t*) {
  return NVML_ERROR_UNINITIALIZED;
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t, char*, unsigned) { return NVML_ERROR_UNINITIALIZED; }
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t, nvmlPciInfo_t*) {
  return NVML_ERROR_UNINITIALIZED;
}
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t, nvmlMemory_t*) {
  return NVML_ERROR_UNINITIALIZED;
}

}  // extern "C"
