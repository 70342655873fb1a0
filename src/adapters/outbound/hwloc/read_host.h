#pragma once

// What a loaded topology says about packages, NUMA nodes, CPUs and memory.

#include <hwloc.h>

#include "ports/outbound/host_topology.h"

namespace gp {

Result<HostFacts> ReadHost(hwloc_topology_t topology);

}  // namespace gp
