#pragma once

// A machine of the topology experiment: the facts that placement uses, and the speed of its links.

#include <memory>
#include <string>
#include <vector>

#include "domain/model/nodes/node.h"

namespace gp {

// The links of one GPU; 0: not in the machine file.
struct GpuWires {
  int pcie_generation = 0;
  int pcie_width = 0;
  int nvlink_version = 0;
};

struct TopologyMachine {
  std::string name;
  std::shared_ptr<const NodeFacts> facts;
  std::vector<GpuWires> wires;  // in the order of facts->gpus
};

}  // namespace gp
