#pragma once

// What a set of GPUs costs by the weights of its pool.  Each kind of cost is a small function of
// the node, the set and what the job asks of a GPU; a policy names them by the names of this table
// (docs/reference/placement_score.md).

#include <cstdint>
#include <span>
#include <string_view>

#include "domain/model/job_spec.h"
#include "domain/model/node.h"
#include "domain/model/placement_weights.h"
#include "domain/placement/gpu_score.h"

namespace gp {

// What is known of a set when it is scored.
struct ScoredSet {
  const Node& node;
  const JobSpec& spec;
  GpuMask gpus = 0;
  GpuMask free = 0;  // of the node, before
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

// The sum of all, each times its weight; smaller is better.
int64_t WeightedCost(const PlacementWeights& weights, const ScoredSet& set);

}  // namespace gp
