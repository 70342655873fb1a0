#pragma once

#include <string>
#include <vector>

#include "domain/model/nodes/node.h"
#include "ports/outbound/gpu_driver.h"
#include "ports/outbound/host_topology.h"

namespace gp {

// Facts of a node for the ledger, and what could not be determined.
struct FoundNode {
  NodeFacts facts;
  std::vector<std::string> warnings;  // one per fact that could not be read, or was assumed
};

// Combines the facts of the host and of its driver.  GPUs are matched by their PCI bus id; a GPU
// whose NUMA node is unknown is assigned to the first one.
FoundNode MakeNodeFacts(const std::string& name, bool simulated, const HostFacts& host,
                        const DriverInventory& inventory);

}  // namespace gp
