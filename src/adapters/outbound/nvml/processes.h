#pragma once

// Which processes hold a context on a GPU.

#include <vector>

#include "adapters/outbound/nvml/inquiry.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// Compute processes and MPS clients, by process id, each once.  Inside a container the driver may
// report process ids of the host.
std::vector<GpuProcess> ReadProcesses(GpuInquiry* gpu);

}  // namespace gp
