#pragma once

// The current health of a GPU.  Readings are independent: one that fails does not affect the
// others.  A lost GPU gives no readings, not even its UUID.

#include "adapters/outbound/nvml/inquiry.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// `driver_major`: 550 of "550.54.15"; a few readings are meaningless on drivers older than the
// reading.
GpuHealth ReadHealth(GpuInquiry* gpu, int driver_major);

}  // namespace gp
