// Checks that the hand-written declarations have the layout of NVIDIA's own header (API version 13,
// x86-64 and arm64 Linux, where they agree).  A program that includes that header printed the
// numbers; a driver never changes them, because its clients are compiled.

#include "adapters/outbound/nvml/abi.h"

#include <cstddef>

static_assert(sizeof(nvmlDevice_t) == 8);
static_assert(sizeof(nvmlEventSet_t) == 8);
static_assert(sizeof(nvmlGpuInstance_t) == 8);
static_assert(sizeof(nvmlComputeInstance_t) == 8);
static_assert(sizeof(nvmlReturn_t) == 4);
static_assert(sizeof(nvmlEnableState_t) == 4);
static_assert(sizeof(nvmlPciInfo_t) == 68);
static_assert(offsetof(nvmlPciInfo_t, domain) == 16);
static_assert(offsetof(nvmlPciInfo_t, pciDeviceId) == 28);
static_assert(offsetof(nvmlPciInfo_t, busId) == 36);
static_assert(sizeof(nvmlPciInfoExt_v1_t) == 64);
static_assert(offsetof(nvmlPciInfoExt_v1_t, busId) == 32);
static_assert(sizeof(nvmlMemory_t) == 24);
static_assert(sizeof(nvmlMemory_v2_t) == 40);
static_assert(offsetof(nvmlMemory_v2_t, total) == 8);
static_assert(offsetof(nvmlMemory_v2_t, used) == 32);
static_assert(sizeof(nvmlBAR1Memory_t) == 24);
static_assert(sizeof(nvmlUtilization_t) == 8);
static_assert(sizeof(nvmlProcessInfo_v1_t) == 16);
static_assert(offsetof(nvmlProcessInfo_v1_t, usedGpuMemory) == 8);
static_assert(sizeof(nvmlProcessInfo_v2_t) == 24);
static_assert(offsetof(nvmlProcessInfo_v2_t, gpuInstanceId) == 16);
static_assert(sizeof(nvmlProcessInfo_t) == 24);
static_assert(sizeof(nvmlProcessDetail_v1_t) == 32);
static_assert(offsetof(nvmlProcessDetail_v1_t, usedGpuCcProtectedMemory) == 24);
static_assert(sizeof(nvmlProcessDetailList_v1_t) == 24);
static_assert(offsetof(nvmlProcessDetailList_v1_t, procArray) == 16);
static_assert(sizeof(nvmlProcessUtilizationSample_t) == 32);
static_assert(offsetof(nvmlProcessUtilizationSample_t, smUtil) == 16);
static_assert(sizeof(nvmlDeviceAttributes_t) == 40);
static_assert(offsetof(nvmlDeviceAttributes_t, memorySizeMB) == 32);
static_assert(sizeof(nvmlTemperature_v1_t) == 12);
static_assert(sizeof(nvmlMarginTemperature_v1_t) == 8);
static_assert(sizeof(nvmlEccErrorCounts_t) == 32);
static_assert(sizeof(nvmlEccSramErrorStatus_v1_t) == 104);
static_assert(offsetof(nvmlEccSramErrorStatus_v1_t, aggregateUncParity) == 8);
static_assert(offsetof(nvmlEccSramErrorStatus_v1_t, bThresholdExceeded) == 96);
static_assert(sizeof(nvmlRowRemapperHistogramValues_t) == 20);
static_assert(sizeof(nvmlGpuFabricInfo_t) == 28);
static_assert(offsetof(nvmlGpuFabricInfo_t, state) == 24);
static_assert(sizeof(nvmlGpuFabricInfo_v2_t) == 36);
static_assert(offsetof(nvmlGpuFabricInfo_v2_t, healthMask) == 32);
static_assert(sizeof(nvmlGpuFabricInfo_v3_t) == 40);
static_assert(offsetof(nvmlGpuFabricInfo_v3_t, healthSummary) == 36);
static_assert(sizeof(nvmlGpmSupport_t) == 8);
static_assert(sizeof(nvmlValue_t) == 8);
static_assert(sizeof(nvmlFieldValue_t) == 40);
static_assert(offsetof(nvmlFieldValue_t, timestamp) == 8);
static_assert(offsetof(nvmlFieldValue_t, valueType) == 24);
static_assert(offsetof(nvmlFieldValue_t, nvmlReturn) == 28);
static_assert(offsetof(nvmlFieldValue_t, value) == 32);
static_assert(sizeof(nvmlEventData_t) == 32);
static_assert(offsetof(nvmlEventData_t, eventType) == 8);
static_assert(offsetof(nvmlEventData_t, eventData) == 16);
static_assert(offsetof(nvmlEventData_t, gpuInstanceId) == 24);
static_assert(offsetof(nvmlEventData_t, computeInstanceId) == 28);
static_assert(sizeof(nvmlGpuInstancePlacement_t) == 8);
static_assert(sizeof(nvmlComputeInstancePlacement_t) == 8);
static_assert(sizeof(nvmlGpuInstanceProfileInfo_t) == 48);
static_assert(offsetof(nvmlGpuInstanceProfileInfo_t, memorySizeMB) == 40);
static_assert(sizeof(nvmlGpuInstanceProfileInfo_v2_t) == 152);
static_assert(offsetof(nvmlGpuInstanceProfileInfo_v2_t, memorySizeMB) == 48);
static_assert(offsetof(nvmlGpuInstanceProfileInfo_v2_t, name) == 56);
static_assert(sizeof(nvmlGpuInstanceProfileInfo_v3_t) == 152);
static_assert(offsetof(nvmlGpuInstanceProfileInfo_v3_t, memorySizeMB) == 40);
static_assert(offsetof(nvmlGpuInstanceProfileInfo_v3_t, name) == 48);
static_assert(offsetof(nvmlGpuInstanceProfileInfo_v3_t, capabilities) == 144);
static_assert(sizeof(nvmlGpuInstanceInfo_t) == 24);
static_assert(offsetof(nvmlGpuInstanceInfo_t, placement) == 16);
static_assert(sizeof(nvmlComputeInstanceProfileInfo_t) == 36);
static_assert(sizeof(nvmlComputeInstanceProfileInfo_v2_t) == 136);
static_assert(offsetof(nvmlComputeInstanceProfileInfo_v2_t, name) == 40);
static_assert(sizeof(nvmlComputeInstanceProfileInfo_v3_t) == 140);
static_assert(offsetof(nvmlComputeInstanceProfileInfo_v3_t, capabilities) == 136);
static_assert(sizeof(nvmlComputeInstanceInfo_t) == 32);
static_assert(offsetof(nvmlComputeInstanceInfo_t, placement) == 24);

// Values that a caller writes into `version`.
static_assert(NvmlStructVersion<nvmlMemory_v2_t>(2) == 0x02000028);
static_assert(NvmlStructVersion<nvmlMarginTemperature_v1_t>(1) == 0x01000008);
static_assert(NvmlStructVersion<nvmlTemperature_v1_t>(1) == 0x0100000c);
static_assert(NvmlStructVersion<nvmlGpuInstanceProfileInfo_v3_t>(3) == 0x03000098);
static_assert(NvmlStructVersion<nvmlGpuFabricInfo_v3_t>(3) == 0x03000028);
