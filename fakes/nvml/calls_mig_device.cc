// MIG devices: compute instances as clients address them.

#include "fakes/nvml/driver.h"
#include "fakes/nvml/mig_device.h"

namespace gp {
namespace {

// Calls body(FakeDriver&, const nvmlDevice_st&) for MIG devices only.
template <typename Body>
nvmlReturn_t WithMigDevice(const char* call, nvmlDevice_t device, Body body) {
  return WithHandle(call, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    return handle.IsMig() ? body(driver, handle) : NVML_ERROR_INVALID_ARGUMENT;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned* is_mig) {
  if (is_mig == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithHandle(__func__, device, [&](FakeDriver&, const nvmlDevice_st& handle) {
    return Store(is_mig, handle.IsMig() ? 1 : 0);
  });
}
nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned* id) {
  if (id == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithMigDevice(__func__, device, [&](FakeDriver&, const nvmlDevice_st& handle) {
    return Store(id, *handle.gpu_instance);
  });
}
nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned* id) {
  if (id == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithMigDevice(__func__, device, [&](FakeDriver&, const nvmlDevice_st& handle) {
    return Store(id, *handle.compute_instance);
  });
}
nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t device,
                                                          nvmlDevice_t* parent) {
  if (parent == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithMigDevice(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    *parent = driver.Device(handle.gpu);
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned* count) {
  return Fact(__func__, device, count, [](const MachineGpu& gpu, const GpuState&) {
    const MigTable* table = FindMigTable(gpu.mig);
    return table == nullptr ? 0u : table->compute_slices;
  });
}
nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index,
                                                 nvmlDevice_t* mig_device) {
  if (mig_device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    if (handle.IsMig()) return NVML_ERROR_INVALID_ARGUMENT;
    const auto devices = MigDevicesOf(driver.world(), handle.gpu);
    if (index >= devices.size()) return NVML_ERROR_NOT_FOUND;
    *mig_device = driver.MigDevice(handle.gpu, *devices[index].gpu_instance,
                                   *devices[index].compute_instance);
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t device, nvmlDeviceAttributes_t* attributes) {
  if (attributes == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithMigDevice(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const auto view = ViewMigDevice(driver.world(), handle);
    if (!view) return NVML_ERROR_NOT_FOUND;
    const bool whole = view->compute.size == view->profile.compute_slices;
    *attributes = {whole ? view->profile.multiprocessors
                         : view->compute.size * view->table.multiprocessors_per_slice,
                   view->profile.copy_engines,
                   view->profile.decoders,
                   0,
                   view->profile.jpeg,
                   view->profile.ofa,
                   view->profile.compute_slices,
                   view->compute.size,
                   view->profile.memory_mib};
    return NVML_SUCCESS;
  });
}

}  // extern "C"
}  // namespace gp
