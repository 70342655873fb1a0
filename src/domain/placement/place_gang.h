#pragma once

// Gang placement: the ranks of a gang on the nodes chosen for it, all or none.

#include <string>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/model/jobs/job.h"
#include "domain/placement/choose_gpus.h"

namespace gp {

// Nodes as the planner sees them: those of the state, or scratch copies with planned work.
using NodeList = std::vector<const Node*>;

// What all ranks of the job must have in common: the GPU model, because the slowest rank sets the
// pace, and the network levels that the job requires. Empty if it does not matter.
std::string CommonTrait(const JobSpec& spec, const Node& node, const NodeChoice& choice);

// "n7[4-5]"
std::string ToText(const Node& node, GpuMask gpus);
GpuMask MaskOf(const RankPlacement& rank);

// Places all ranks of the job on these nodes. `nodes_fit`: number of nodes that would fit, for the
// note. REQUIRES: one node for each rank, and a rank fits on each.
PlaceGang PlaceOn(NodeList chosen, const Job& job, size_t nodes_fit,
                  const PlacementWeights& weights);

}  // namespace gp
