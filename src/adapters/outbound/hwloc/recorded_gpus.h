#pragma once

// GPUs and NVLinks that an hwloc XML export carries, recorded there by hwloc's NVML plug-in on the
// machine it shows.  They let tests and simulations use real machines of others.  The export has
// no memory sizes, MIG or health: those fields stay empty.

#include <hwloc.h>

#include <vector>

#include "ports/outbound/gpu_driver.h"

namespace gp {

struct RecordedGpus {
  std::vector<GpuIdentity> gpus;  // by NVML index
  // Links are counted in units of the narrowest bandwidth of the matrix: an export does not tell
  // how many NVLinks make up one entry.
  std::vector<GpuLinks> links;
};

Result<RecordedGpus> ReadRecordedGpus(hwloc_topology_t topology);

}  // namespace gp
