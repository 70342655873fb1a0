#pragma once

// A machine as the topology experiment sees it: what placement knows of it, and beside that how
// fast its wires are.

#include <memory>
#include <string>
#include <vector>

#include "domain/model/node.h"

namespace gp {

// Of one GPU; 0: the machine file does not tell.
struct GpuWires {
  int pcie_generation = 0;
  int pcie_width = 0;
  int nvlink_version = 0;
};

struct TopologyMachine {
  std::string name;
  std::shared_ptr<const NodeFacts> facts;
  std::vector<GpuWires> wires;  // as facts->gpus
};

}  // namespace gp
