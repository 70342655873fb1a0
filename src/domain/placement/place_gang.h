#pragma once

// The ranks of a gang on the nodes that were chosen for it.

#include <string>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/model/job.h"
#include "domain/placement/choose_gpus.h"

namespace gp {

// Nodes as the planner sees them: the state's, or a scratch copy where it has planned already.
using NodeView = std::vector<const Node*>;

// What all ranks of the job must have in common: the GPUs' model, as the slowest would set the pace
// of all, and the levels of the network that it asks for.  Empty where it does not matter.
std::string CommonTrait(const JobSpec& spec, const Node& node, const NodeChoice& choice);

// "n7[4-5]"
std::string ToText(const Node& node, GpuMask gpus);
GpuMask MaskOf(const RankPlacement& rank);

// All ranks of the job on these nodes.  `nodes_fit`: how many could have been taken, for the note.
// REQUIRES: a rank fits on each, and there are as many as ranks.
PlaceGang PlaceOn(NodeView chosen, const Job& job, size_t nodes_fit,
                  const PlacementWeights& weights);

}  // namespace gp
