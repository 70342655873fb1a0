#pragma once

// GPUs by UUID.  An index is valid within one process only: when a card falls off the bus, the
// driver renumbers the others for every process that initialises it afterwards.

#include <string>

#include "adapters/outbound/nvml/inquiry.h"
#include "base/result.h"

namespace gp {

// The UUID that the driver reports for this handle; empty: it reports none.
std::string ReadUuid(GpuInquiry* gpu);

// The handle of the GPU that has this UUID, whatever its index is now. kNotFound: no such GPU, or
// it cannot be opened.
Result<nvmlDevice_t> OpenByUuid(const NvmlLibrary& library, const std::string& uuid);

}  // namespace gp
