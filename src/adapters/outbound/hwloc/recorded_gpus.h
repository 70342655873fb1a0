#pragma once

#include <hwloc.h>

#include <vector>

#include "ports/outbound/gpu_driver.h"

namespace gp {

// GPUs and NVLinks in an hwloc XML export, recorded by hwloc's NVML plug-in on the exported
// machine.  With them tests and simulations can use real machines of other people.  The export has
// no memory sizes, MIG or health: those fields stay empty.
struct RecordedGpus {
  std::vector<GpuIdentity> gpus;  // by NVML index
  // Links are counted in units of the lowest bandwidth in the matrix: an export does not say how
  // many NVLinks one entry stands for.
  std::vector<GpuLinks> links;
};

Result<RecordedGpus> ReadRecordedGpus(hwloc_topology_t topology);

}  // namespace gp
