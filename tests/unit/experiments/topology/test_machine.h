#pragma once

// A machine for tests: two sockets of two NUMA nodes with eight cores each, a GPU on each NUMA
// node.

#include "experiments/topology/machine.h"

namespace gp {

inline TopologyMachine FourGpus(int nvlinks_of_first_pair = 0) {
  NodeFacts facts;
  facts.name = "four";
  for (int numa = 0; numa < 4; ++numa) {
    NumaFacts one{numa, numa / 2, {}, 1 << 16};
    one.cpus.AddRange(numa * 8, numa * 8 + 7);
    facts.numa.push_back(one);
    facts.gpus.push_back({"GPU-" + std::to_string(numa), "GPU", "", numa, numa, 1 << 15});
  }
  facts.links.assign(16, 0);
  facts.links[1] = facts.links[4] = static_cast<uint8_t>(nvlinks_of_first_pair);
  TopologyMachine machine{"four", std::make_shared<const NodeFacts>(facts), {}};
  machine.wires.assign(4, {4, 16, nvlinks_of_first_pair > 0 ? 3 : 0});
  return machine;
}

inline Node EmptyNode(const TopologyMachine& machine) {
  Node node;
  node.facts = machine.facts;
  node.gpus.resize(machine.facts->gpus.size());
  for (Gpu& gpu : node.gpus) gpu.condition = GpuCondition::kAvailable;
  node.numa.resize(machine.facts->numa.size());
  return node;
}

inline void Occupy(Node& node, int gpu) {
  node.gpus[static_cast<size_t>(gpu)].leases.push_back({1});
}
inline void OccupyCores(Node& node, int numa, int first, int last) {
  node.numa[static_cast<size_t>(numa)].cpus_granted.AddRange(first, last);
}

}  // namespace gp
