#pragma once

// Chooses the victims for a gang on a few nodes. It compares every combination, because one victim
// may free GPUs on several nodes but counts once.

#include <optional>
#include <vector>

#include "domain/scheduling/victims/node_victims.h"

namespace gp {

// `options`: the possible victim sets of each node. The gang takes one option on each of `wanted`
// nodes, all of one trait. Returns the cheapest combination that may be evicted together; of equal
// ones the first. nullopt: none is cheaper than `cheaper_than`, or the search reached its limit
// before it found one.
std::optional<std::vector<NodeVictims>> CombineNodeVictims(
    const std::vector<std::vector<NodeVictims>>& options, size_t wanted, const MayEvict& may_evict,
    std::optional<EvictionCost> cheaper_than);

}  // namespace gp
