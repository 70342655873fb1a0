#pragma once

// Victim selection: which jobs to preempt so that a job fits; whole gangs, and none without need.

#include <optional>
#include <set>
#include <vector>

#include "domain/cluster/state.h"
#include "domain/scheduling/preemption_candidates.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {

struct Victims {
  std::vector<JobId> jobs;    // in order of id
  std::vector<NodeId> nodes;  // nodes on which the job fits once the victims have ended
};

// Leaves out the `reserved` nodes. Chooses the nodes with the cheapest victims: first the lowest
// highest priority among them, then the fewest GPUs, then the fewest jobs, then the lowest sum of
// priorities, then the lower node id. nullopt: there is no such set.
std::optional<Victims> FindVictims(const State& state, const ScratchNodes& nodes,
                                   PreemptionCandidates& preemption_candidates,
                                   const std::set<NodeId>& reserved, const Job& job);

}  // namespace gp
