#pragma once

// The production placement: the planner's ranking of nodes, and PlaceOn.

#include <memory>
#include <vector>

#include "experiments/topology/policy.h"

namespace gp {

std::unique_ptr<TopologyPolicy> MakeDefaultPolicy(const std::vector<Node>& nodes);

}  // namespace gp
