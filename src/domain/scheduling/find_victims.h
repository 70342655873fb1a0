#pragma once

// Whom to interrupt so that a job fits: whole gangs, and none that could be spared.

#include <optional>
#include <set>
#include <vector>

#include "domain/cluster/state.h"
#include "domain/scheduling/preemption_candidates.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {

struct Victims {
  std::vector<JobId> jobs;    // in order of id
  std::vector<NodeId> nodes;  // on which the job fits when they have gone
};

// `reserved` nodes are left out.  Of the nodes on which room can be made the cheapest are taken:
// the highest priority among the victims is as low as may be, then the fewest GPUs are interrupted,
// then the fewest jobs, then those of the lowest priorities altogether, then the lower node id.
// nullopt: there is no such set.
std::optional<Victims> FindVictims(const State& state, const ScratchNodes& nodes,
                                   PreemptionCandidates& preemption_candidates,
                                   const std::set<NodeId>& reserved, const Job& job);

}  // namespace gp
