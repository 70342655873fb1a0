#pragma once

// What it costs to evict running jobs: the cheapest victims are evicted.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "domain/model/jobs/job.h"

namespace gp {

// The cost of evicting some jobs: lower is better; the first field that differs decides.
struct EvictionCost {
  int priority = -1;  // the highest of them; -1: no victims
  int64_t gpus = 0;   // of all victims, on all nodes
  size_t jobs = 0;
  int64_t priorities = 0;  // sum over all victims

  auto operator<=>(const EvictionCost&) const = default;
  EvictionCost operator+(const EvictionCost& other) const;
};
EvictionCost CostOf(const Job& victim);
EvictionCost CostOf(const std::vector<const Job*>& victims);

// Between equal costs, the lower node decides.
using NodeEvictionCost = std::pair<EvictionCost, NodeId>;

// The GPUs that the job requests on all of its nodes.
int64_t GpusOnAllNodes(const Job& job);

}  // namespace gp
