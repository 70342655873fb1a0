#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "domain/cluster/state/state.h"

namespace gp {

// Nodes that last reported to have the layers of the job's image: of its digest once that is fixed,
// else of what its name meant there last. Empty: none, or the image has no layers.
const std::set<NodeId>& NodesWithImage(const State& state, const Job& job);

// The keys by which a node reports an image that it holds (ReportNode::images).
std::vector<uint64_t> KeysOfHeldImage(std::string_view name, std::string_view digest);

}  // namespace gp
