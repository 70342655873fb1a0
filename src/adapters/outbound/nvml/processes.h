#pragma once

// Which processes hold a context on a GPU.

#include <vector>

#include "adapters/outbound/nvml/inquiry.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// Compute processes and clients of MPS, by process id, each once.  Inside a container the driver
// may tell ids of the host.
std::vector<GpuProcess> ReadProcesses(GpuInquiry* gpu);

}  // namespace gp
