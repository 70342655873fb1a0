#include <algorithm>

#include "domain/model/jobs/variants.h"

#include <utility>

namespace gp {

bool HasVariants(const JobSpec& spec) {
  return !spec.resources.any_of.empty() || spec.resources.nodes_min != 0;
}

bool AsksForGpus(const JobSpec& spec) {
  return spec.resources.gpus.count > 0 ||
         std::ranges::any_of(spec.resources.any_of,
                             [](const Alternative& one) { return one.gpus.count > 0; });
}

int CountVariants(const JobSpec& spec) {
  return 1 + static_cast<int>(spec.resources.any_of.size());
}

JobSpec Variant(const JobSpec& spec, int variant) {
  JobSpec one = spec;
  one.resources.any_of.clear();
  if (variant == 0) return one;
  const Alternative& alternative = spec.resources.any_of[static_cast<size_t>(variant) - 1];
  one.resources.nodes = alternative.nodes;
  one.resources.nodes_min = alternative.nodes_min;
  one.resources.gpus = alternative.gpus;
  one.resources.cpus = alternative.cpus;
  one.resources.memory_bytes = alternative.memory_bytes;
  return one;
}

NodeRange NodesOf(const JobSpec& spec, int variant) {
  const auto range = [](int nodes, int nodes_min) {
    return NodeRange{nodes_min == 0 ? nodes : nodes_min, nodes};
  };
  if (variant == 0) return range(spec.resources.nodes, spec.resources.nodes_min);
  const Alternative& alternative = spec.resources.any_of[static_cast<size_t>(variant) - 1];
  return range(alternative.nodes, alternative.nodes_min);
}

int LeastNodes(const JobSpec& spec) {
  return spec.resources.nodes_min == 0 ? spec.resources.nodes : spec.resources.nodes_min;
}

std::shared_ptr<const JobSpec> Resolve(const std::shared_ptr<const JobSpec>& spec, int variant,
                                       int nodes) {
  if (!HasVariants(*spec)) return spec;
  JobSpec one = Variant(*spec, variant);
  one.resources.nodes = nodes;
  one.resources.nodes_min = 0;
  return std::make_shared<const JobSpec>(std::move(one));
}

}  // namespace gp
