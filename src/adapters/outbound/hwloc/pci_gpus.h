#pragma once

// The NVIDIA GPUs that a topology shows on PCI, each with its location: NUMA node, root, switch.

#include <hwloc.h>

#include <string>
#include <vector>

#include "ports/outbound/host_topology.h"

namespace gp {

// Sorted by bus id.  A location that the host does not report is left out, with an entry in
// `warnings`.
std::vector<PciGpu> FindPciGpus(hwloc_topology_t topology, const std::vector<NumaNode>& numa_nodes,
                                std::vector<std::string>* warnings);

}  // namespace gp
