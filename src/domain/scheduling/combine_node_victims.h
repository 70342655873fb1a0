#pragma once

// Which rooms on a few nodes a gang takes: every combination is compared, as a job that leaves may
// make room on several nodes and is counted once.

#include <optional>
#include <vector>

#include "domain/scheduling/victim_search.h"

namespace gp {

// `rooms`: for each node its rooms, of which the gang takes one on each of `wanted` nodes, all of
// one trait. The cheapest of those who may go together; of equal ones the first.  nullopt: none is
// cheaper than `than`, or so many would have to be compared that the search was given up before one
// was found.
std::optional<std::vector<NodeVictims>> CombineNodeVictims(
    const std::vector<std::vector<NodeVictims>>& options, size_t wanted,
    const VictimSearch::MayEvict& may_evict, std::optional<EvictionCost> than);

}  // namespace gp
