#pragma once

// How a GPU is right now.  Every reading is independent: one that fails leaves the others.

#include "adapters/outbound/nvml/inquiry.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// A lost GPU tells nothing, and not its UUID either.
// `driver_major`: 550 of "550.54.15"; a few readings mean nothing on drivers before they existed.
GpuHealth ReadHealth(GpuInquiry* gpu, int driver_major);

}  // namespace gp
