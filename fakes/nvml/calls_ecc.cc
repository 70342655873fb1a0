// Memory errors and row remapping.  All errors count as errors of the device memory.

#include "fakes/nvml/driver.h"

namespace gp {
namespace {

uint64_t Count(const GpuState& state, nvmlMemoryErrorType_t type, nvmlEccCounterType_t counter) {
  const FakeEcc& ecc = counter == NVML_VOLATILE_ECC ? state.ecc_volatile : state.ecc_aggregate;
  return type == NVML_MEMORY_ERROR_TYPE_CORRECTED ? ecc.corrected : ecc.uncorrected;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t* current,
                                  nvmlEnableState_t* pending) {
  if (current == nullptr || pending == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithReading(__func__, device, [&](const MachineGpu& gpu, const GpuState&) {
    if (!gpu.ecc) return NVML_ERROR_NOT_SUPPORTED;
    *current = *pending = NVML_FEATURE_ENABLED;
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetDefaultEccMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  nvmlEnableState_t pending;
  return nvmlDeviceGetEccMode(device, mode, &pending);
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                         nvmlEccCounterType_t counter, unsigned long long* count) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithReading(__func__, device, [&](const MachineGpu& gpu, const GpuState& state) {
    if (!gpu.ecc) return NVML_ERROR_NOT_SUPPORTED;
    return Store(count, Count(state, type, counter));
  });
}

nvmlReturn_t nvmlDeviceGetDetailedEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                            nvmlEccCounterType_t counter,
                                            nvmlEccErrorCounts_t* counts) {
  if (counts == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *counts = {};
  return nvmlDeviceGetTotalEccErrors(device, type, counter, &counts->deviceMemory);
}

nvmlReturn_t nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                             nvmlEccCounterType_t counter,
                                             nvmlMemoryLocation_t location,
                                             unsigned long long* count) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  // MIG devices answer too: the fake does not track which of them an error hit.
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const size_t gpu = static_cast<size_t>(handle.gpu);
    const GpuState& state = driver.world().gpus[gpu];
    if (IsUnreachable(state)) return NVML_ERROR_GPU_IS_LOST;
    if (!driver.world().machine.gpus[gpu].ecc) return NVML_ERROR_NOT_SUPPORTED;
    return Store(count,
                 location == NVML_MEMORY_LOCATION_DRAM ? Count(state, type, counter) : uint64_t{0});
  });
}

nvmlReturn_t nvmlDeviceGetSramEccErrorStatus(nvmlDevice_t device,
                                             nvmlEccSramErrorStatus_v1_t* status) {
  if (status == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (status->version != NvmlStructVersion<nvmlEccSramErrorStatus_v1_t>(1)) {
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  return WithReading(__func__, device, [&](const MachineGpu& gpu, const GpuState&) {
    if (!gpu.ecc || !gpu.remap_banks) return NVML_ERROR_NOT_SUPPORTED;
    const unsigned version = status->version;
    *status = {};
    status->version = version;
    return NVML_SUCCESS;
  });
}

// Models without row remapping retire pages; the fake never retires any.
nvmlReturn_t nvmlDeviceGetRetiredPages(nvmlDevice_t device, nvmlPageRetirementCause_t,
                                       unsigned* count, unsigned long long*) {
  return Reading(__func__, device, count,
                 [](const MachineGpu& gpu, const GpuState&) -> std::optional<int> {
                   if (!gpu.ecc || gpu.remap_banks) return std::nullopt;
                   return 0;
                 });
}
nvmlReturn_t nvmlDeviceGetRetiredPagesPendingStatus(nvmlDevice_t device,
                                                    nvmlEnableState_t* pending) {
  return Reading(__func__, device, pending,
                 [](const MachineGpu& gpu, const GpuState&) -> std::optional<int> {
                   if (!gpu.ecc || gpu.remap_banks) return std::nullopt;
                   return 0;
                 });
}

nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned* corrected,
                                       unsigned* uncorrected, unsigned* pending, unsigned* failed) {
  if (corrected == nullptr || uncorrected == nullptr || pending == nullptr || failed == nullptr) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  return WithReading(__func__, device, [&](const MachineGpu& gpu, const GpuState& state) {
    if (!gpu.remap_banks) return NVML_ERROR_NOT_SUPPORTED;
    *corrected = state.remapped_corrected;
    *uncorrected = state.remapped_uncorrected;
    *pending = state.remap_pending ? 1 : 0;
    *failed = state.remap_failed ? 1 : 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetRowRemapperHistogram(nvmlDevice_t device,
                                               nvmlRowRemapperHistogramValues_t* values) {
  if (values == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithReading(__func__, device, [&](const MachineGpu& gpu, const GpuState& state) {
    if (!gpu.remap_banks) return NVML_ERROR_NOT_SUPPORTED;
    const unsigned used = state.remapped_corrected + state.remapped_uncorrected;
    *values = {static_cast<unsigned>(*gpu.remap_banks) - used, used, 0, 0, 0};
    return NVML_SUCCESS;
  });
}

}  // extern "C"
}  // namespace gp
