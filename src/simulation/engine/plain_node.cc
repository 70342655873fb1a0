#include "simulation/engine/plain_node.h"

#include "domain/model/nodes/features.h"

namespace gp {

NodeFacts PlainNode(int number, int gpus) {
  NodeFacts facts;
  facts.name = "node-" + std::to_string(number);
  facts.simulated = true;
  facts.features = AllFeatures();
  for (int numa = 0; numa < 2; ++numa) {
    NumaFacts one;
    one.os_id = numa;
    one.package = numa;
    one.cpus.AddRange(numa * 56, numa * 56 + 55);
    one.memory_mib = 1 << 20;
    facts.numa.push_back(one);
  }
  for (int i = 0; i < gpus; ++i) {
    GpuFacts gpu;
    gpu.uuid = "GPU-" + std::to_string(number) + "-" + std::to_string(i);
    gpu.model = "NVIDIA H100 80GB HBM3";
    gpu.minor = i;
    gpu.numa = i * 2 / gpus;
    gpu.memory_mib = 81'559;
    facts.gpus.push_back(gpu);
  }
  const auto count = static_cast<size_t>(gpus);
  facts.links.assign(count * count, 18);
  for (size_t i = 0; i < count; ++i) facts.links[i * count + i] = 0;
  return facts;
}

}  // namespace gp
