#pragma once

// The identity of a GPU: what does not change while the driver is loaded.

#include "adapters/outbound/nvml/inquiry.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// Versions of driver, library and CUDA; a missing one stays empty and gives a warning.
void ReadVersions(const NvmlLibrary& library, DriverInventory* inventory, NvmlWarnings* warnings);

// False if the GPU cannot be identified (it is lost, or has no UUID): a warning says so, and
// `identity` must not be used.
bool ReadIdentity(GpuInquiry* gpu, GpuIdentity* identity);

}  // namespace gp
