// A driver of about 2019: first versions only, two GPUs joined by two links and to a switch by
// three each, MIG without names, and one process that MPS knows nothing of.

#include <cstdio>
#include <cstring>

#include "adapters/outbound/nvml/abi.h"

namespace {

constexpr unsigned kCount = 2;
constexpr unsigned kDirectLinks = 2;
constexpr unsigned kActiveLinks = 5;
constexpr unsigned kAllLinks = 6;

nvmlDevice_st* HandleOf(unsigned index) {
  return reinterpret_cast<nvmlDevice_st*>(static_cast<unsigned long>(index + 1));
}
unsigned IndexOf(nvmlDevice_t device) {
  return static_cast<unsigned>(reinterpret_cast<unsigned long>(device.handle)) - 1;
}
void SetBusId(unsigned bus, unsigned device_id, nvmlPciInfo_t* pci) {
  std::memset(pci, 0, sizeof *pci);
  pci->bus = bus;
  pci->pciDeviceId = device_id << 16 | 0x10de;
  std::snprintf(pci->busId, sizeof pci->busId, "00000000:%02X:00.0", bus);
}
constexpr unsigned kGpuBus = 0x10;
constexpr unsigned kSwitchBus = 0x60;

}  // namespace

extern "C" {

nvmlReturn_t nvmlInit_v2() { return NVML_SUCCESS; }
nvmlReturn_t nvmlShutdown() { return NVML_SUCCESS; }
const char* nvmlErrorString(nvmlReturn_t) { return "said by the old driver"; }

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::snprintf(version, length, "418.226.00");
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
  *version = 10010;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  *count = kCount;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  device->handle = HandleOf(index);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned length) {
  std::snprintf(uuid, length, "GPU-0000000%u", IndexOf(device));
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t, char* name, unsigned length) {
  std::snprintf(name, length, "Old GPU");
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  SetBusId(kGpuBus + IndexOf(device), 0x1db1, pci);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t, nvmlMemory_t* memory) {
  *memory = {16384ull << 20, 16000ull << 20, 384ull << 20};
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t, unsigned long long* reasons) {
  *reasons = nvmlClocksEventReasonSwPowerCap;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t, unsigned* count,
                                                  nvmlProcessInfo_v1_t* infos) {
  if (*count < 1) return NVML_ERROR_INSUFFICIENT_SIZE;
  *count = 1;
  infos[0] = {4711, 100ull << 20};
  return NVML_SUCCESS;
}

// A recovery action of sorts, from a time when the field meant nothing.
nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t, int, nvmlFieldValue_t* value) {
  value->nvmlReturn = NVML_SUCCESS;
  value->value.uiVal = NVML_GPU_RECOVERY_ACTION_NODE_REBOOT;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t, unsigned link, nvmlEnableState_t* active) {
  if (link >= kAllLinks) return NVML_ERROR_INVALID_ARGUMENT;
  *active = link < kActiveLinks ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned link,
                                                 nvmlPciInfo_t* pci) {
  if (link < kDirectLinks) {
    SetBusId(kGpuBus + (1 - IndexOf(device)), 0x1db1, pci);
  } else {
    SetBusId(kSwitchBus, 0x1ac2, pci);
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t, unsigned* current, unsigned* pending) {
  *current = *pending = NVML_DEVICE_MIG_ENABLE;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfo(nvmlDevice_t, unsigned profile,
                                                 nvmlGpuInstanceProfileInfo_t* info) {
  std::memset(info, 0, sizeof *info);
  if (profile == NVML_GPU_INSTANCE_PROFILE_1_SLICE) {
    info->id = 19;
    info->sliceCount = 1;
    info->instanceCount = 7;
    info->memorySizeMB = 4864;
    return NVML_SUCCESS;
  }
  if (profile == NVML_GPU_INSTANCE_PROFILE_1_SLICE_REV1) {
    info->id = 20;
    info->sliceCount = 1;
    info->instanceCount = 1;
    info->memorySizeMB = 4864;
    return NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t* set) {
  set->handle = reinterpret_cast<nvmlEventSet_st*>(1);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t) { return NVML_SUCCESS; }
nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t, unsigned long long, nvmlEventSet_t) {
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t, nvmlEventData_t* data, unsigned timeout_ms) {
  if (timeout_ms == 0) return NVML_ERROR_TIMEOUT;
  data->device.handle = HandleOf(1);
  data->eventType = nvmlEventTypeXidCriticalError;
  data->eventData = 31;
  data->gpuInstanceId = 12345;  // rubbish: this version of the call does not fill it
  return NVML_SUCCESS;
}

}  // extern "C"
