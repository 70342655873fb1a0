// A driver in trouble.  GPU 0 is lost between two questions and must then be left alone; GPU 1 is
// well and runs clients of MPS; GPU 2 has no UUID.  TEST_NVML_UNLOADED takes the driver away.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "adapters/outbound/nvml/abi.h"

namespace {

unsigned IndexOf(nvmlDevice_t device) {
  return static_cast<unsigned>(reinterpret_cast<unsigned long>(device.handle)) - 1;
}

void Fill(unsigned pid, unsigned long long memory, nvmlProcessInfo_t* info) {
  *info = {pid, memory, kNvmlNoInstance, kNvmlNoInstance};
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlInit_v2() { return NVML_SUCCESS; }
nvmlReturn_t nvmlShutdown() { return NVML_SUCCESS; }
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 3;
  return std::getenv("TEST_NVML_UNLOADED") ? NVML_ERROR_UNINITIALIZED : NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  device->handle = reinterpret_cast<nvmlDevice_st*>(static_cast<unsigned long>(index + 1));
  return NVML_SUCCESS;
}
// As documented: it fails where any GPU is lost.
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char*, nvmlDevice_t*) {
  return NVML_ERROR_GPU_IS_LOST;
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned length) {
  if (IndexOf(device) == 2) return NVML_ERROR_UNKNOWN;
  std::snprintf(uuid, length, "GPU-%u", IndexOf(device));
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t, nvmlPciInfo_t* pci) {
  std::memset(pci, 0, sizeof *pci);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t, nvmlMemory_t* memory) {
  *memory = {1ull << 30, 1ull << 30, 0};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t, nvmlTemperatureSensors_t, unsigned* celsius) {
  *celsius = 40;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned* milliwatts) {
  if (IndexOf(device) == 0) return NVML_ERROR_GPU_IS_LOST;
  *milliwatts = 99'600;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t* utilization) {
  if (IndexOf(device) == 0) std::abort();  // every further question may take seconds
  *utilization = {5, 5};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t, unsigned* count,
                                                     nvmlProcessInfo_t* infos) {
  if (*count < 2) return NVML_ERROR_INSUFFICIENT_SIZE;
  *count = 2;
  Fill(300, 3ull << 20, &infos[0]);
  Fill(100, kNvmlMemoryUnknown, &infos[1]);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t, unsigned* count,
                                                        nvmlProcessInfo_t* infos) {
  if (*count < 2) return NVML_ERROR_INSUFFICIENT_SIZE;
  *count = 2;
  Fill(300, 3ull << 20, &infos[0]);  // in both lists
  Fill(200, 2ull << 20, &infos[1]);
  return NVML_SUCCESS;
}

}  // extern "C"
