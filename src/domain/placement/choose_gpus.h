#pragma once

// Chooses the best GPUs of one node for one rank of a job. Exact for up to kExactGpus candidates:
// every fitting set is compared. Beyond that, only sets that start in one NUMA node and spill over
// in order are compared.

#include <optional>

#include "domain/cluster/command.h"
#include "domain/model/jobs/job.h"
#include "domain/placement/gpu_score.h"

namespace gp {

inline constexpr int kExactGpus = 16;

struct NodeChoice {
  RankPlacement placement;
  GpuScore score;
  Locality locality = Locality::kSameNuma;
  int unlinked_pairs = 0;
  int links = 0;         // the fewest NVLinks between any pair
  int alternatives = 0;  // number of sets compared
};

// GPUs of the node that the job could have now, each judged alone.
GpuMask EligibleGpus(const Node& node, const Job& job);
// Free GPUs that may be granted whole; none if the node is out of service.
GpuMask FreeGpus(const Node& node);
// The node with nothing granted on it and its GPUs in their current conditions.
Node Emptied(const Node& node);
// The same with every GPU in service, including missing ones.
Node Ideal(const Node& node);

// `weights`: those of the job's pool. They decide which set is best, never whether there is one.
std::optional<NodeChoice> ChooseGpus(const Node& node, const Job& job,
                                     const PlacementWeights& weights);
// The same for exactly these GPUs.
std::optional<NodeChoice> ChooseExactly(const Node& node, const Job& job, GpuMask gpus);
// Whether a rank of the job fits on the node now.
bool Fits(const Node& node, const Job& job);

}  // namespace gp
