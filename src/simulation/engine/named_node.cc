#include "simulation/engine/named_node.h"

namespace gp {

std::shared_ptr<const NodeFacts> NamedNode(const NodeFacts& machine, const std::string& name) {
  auto facts = std::make_shared<NodeFacts>(machine);
  facts->name = name;
  for (size_t gpu = 0; gpu < facts->gpus.size(); ++gpu)
    facts->gpus[gpu].uuid = "GPU-" + name + "-" + std::to_string(gpu);
  return facts;
}

}  // namespace gp
