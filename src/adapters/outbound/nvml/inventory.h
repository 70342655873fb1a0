#pragma once

// Who a GPU is: what stays while the driver is loaded.

#include "adapters/outbound/nvml/inquiry.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// Versions of driver, library and CUDA; what is missing stays empty and is warned of.
void ReadVersions(const NvmlLibrary& library, DriverInventory* inventory, NvmlWarnings* warnings);

// False where the GPU could not be identified (lost, or without UUID): then it is warned of and
// `identity` must not be used.
bool ReadIdentity(GpuInquiry* gpu, GpuIdentity* identity);

}  // namespace gp
