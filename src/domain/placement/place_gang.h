#pragma once

// Places for a whole gang, all ranks or none.

#include <functional>
#include <optional>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/model/job.h"
#include "domain/placement/choose_gpus.h"

namespace gp {

// The nodes as the planner sees them: the state's, or a scratch copy where it has planned already.
using NodeView = std::vector<const Node*>;

// What all ranks of the job must have in common: the GPUs' model, as the slowest would set the pace
// of all.  Empty where it does not matter.
std::string CommonTrait(const JobSpec& spec, const Node& node, const NodeChoice& choice);

// nullopt: not now.  REQUIRES: nodes in order of id.
std::optional<PlaceGang> FindGangPlace(const NodeView& nodes, const Job& job);

}  // namespace gp
