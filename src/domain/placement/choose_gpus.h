#pragma once

// The best GPUs of one node for one rank of a job.  Exact: every set that fits is compared, up to
// kExactGpus candidates; beyond that, only sets that begin in one NUMA node and spill in order.

#include <optional>

#include "domain/cluster/command.h"
#include "domain/model/job.h"
#include "domain/placement/gpu_score.h"

namespace gp {

inline constexpr int kExactGpus = 16;

struct NodeChoice {
  RankPlacement placement;
  GpuScore score;
  Locality locality = Locality::kSameNuma;
  int unlinked_pairs = 0;
  int links = 0;         // NVLinks between each pair, the fewest
  int alternatives = 0;  // sets that were compared
};

// GPUs of the node that the job could have now, one by one.
GpuMask EligibleGpus(const Node& node, const Job& job);
// GPUs that nobody holds and that may be granted whole; none where the node is out of service.
GpuMask FreeGpus(const Node& node);
// The node as it would be with nothing granted on it, its GPUs in the conditions that they are in.
Node Emptied(const Node& node);
// The same with every GPU in service, those that are missing as well.
Node Ideal(const Node& node);

// `weights`: of the job's pool.  They decide which set is best, never whether there is one.
std::optional<NodeChoice> ChooseGpus(const Node& node, const Job& job,
                                     const PlacementWeights& weights);
// The same where these GPUs it shall be.
std::optional<NodeChoice> ChooseExactly(const Node& node, const Job& job, GpuMask gpus);
// Whether a rank of the job could be placed there now.
bool Fits(const Node& node, const Job& job);

}  // namespace gp
