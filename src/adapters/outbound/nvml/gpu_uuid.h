#pragma once

// GPUs by UUID.  An index is good for one process alone: when a card falls off the bus, the driver
// numbers the others anew for whoever initialises it next.

#include <string>

#include "adapters/outbound/nvml/inquiry.h"
#include "base/result.h"

namespace gp {

// The UUID as the driver tells it for this very handle; empty: it does not tell.
std::string ReadUuid(GpuInquiry* gpu);

// The handle of the GPU that has this UUID, whatever its index is now.  kNotFound: there is none,
// or it cannot be opened.
Result<nvmlDevice_t> OpenByUuid(const NvmlLibrary& library, const std::string& uuid);

}  // namespace gp
