#pragma once

// What the ledger needs to know of a node, from what the host and its driver tell.

#include <string>
#include <vector>

#include "domain/model/node.h"
#include "ports/outbound/gpu_driver.h"
#include "ports/outbound/host_topology.h"

namespace gp {

struct FoundNode {
  NodeFacts facts;
  std::vector<std::string> warnings;  // named: what could not be read, or was guessed
};

// GPUs are joined to the host by their PCI bus id; one whose NUMA node is unknown goes to the
// first.
FoundNode MakeNodeFacts(const std::string& name, bool simulated, const HostFacts& host,
                        const DriverInventory& inventory);

}  // namespace gp
