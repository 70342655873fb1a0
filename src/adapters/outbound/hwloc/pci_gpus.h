#pragma once

// The NVIDIA GPUs that a topology shows on PCI, each with its place: NUMA node, root, switch.

#include <hwloc.h>

#include <string>
#include <vector>

#include "ports/outbound/host_topology.h"

namespace gp {

// By bus id.  A place that the host does not tell is left out and named in `warnings`.
std::vector<PciGpu> FindPciGpus(hwloc_topology_t topology, const std::vector<NumaNode>& numa_nodes,
                                std::vector<std::string>* warnings);

}  // namespace gp
