#pragma once

// The cost of a set of GPUs by the weights of its pool. Each kind of cost is a small function of
// the node, the set and the job's GPU request; policies use the names in this table
// (docs/reference/placement_score.md).

#include <cstdint>
#include <span>
#include <string_view>

#include "domain/model/jobs/job_spec.h"
#include "domain/model/nodes/node.h"
#include "domain/model/nodes/placement_weights.h"
#include "domain/placement/gpu_score.h"

namespace gp {

// What is known about a set when it is scored.
struct ScoredSet {
  const Node& node;
  const JobSpec& spec;
  GpuMask gpus = 0;
  GpuMask free = 0;  // of the node, before placement
  Locality locality = Locality::kSameNuma;
  int unlinked_pairs = 0;
  const BlockCounts& blocks_lost;
};

struct PlacementCost {
  std::string_view name;
  int PlacementWeights::* weight;
  int64_t (*cost)(const ScoredSet&);
};

std::span<const PlacementCost> PlacementCosts();

// The sum of all costs, each multiplied by its weight; smaller is better.
int64_t WeightedCost(const PlacementWeights& weights, const ScoredSet& set);

}  // namespace gp
