#include "domain/scheduling/victims/eviction_cost.h"

#include <algorithm>

namespace gp {

EvictionCost EvictionCost::operator+(const EvictionCost& other) const {
  return {std::max(priority, other.priority), gpus + other.gpus, jobs + other.jobs,
          priorities + other.priorities};
}

EvictionCost CostOf(const Job& victim) {
  return {victim.spec->policy.priority, GpusOnAllNodes(victim), 1, victim.spec->policy.priority};
}

EvictionCost CostOf(const std::vector<const Job*>& victims) {
  EvictionCost cost;
  for (const Job* victim : victims) cost = cost + CostOf(*victim);
  return cost;
}

int64_t GpusOnAllNodes(const Job& job) {
  return int64_t{job.spec->resources.nodes} * job.spec->resources.gpus.count;
}

}  // namespace gp
