#pragma once

// Victim selection: which jobs to preempt so that a job fits; whole gangs, and none without need.

#include <optional>
#include <set>
#include <vector>

#include "domain/cluster/state/state.h"
#include "domain/scheduling/scratch_nodes.h"
#include "domain/scheduling/victims/preemption_candidates.h"

namespace gp {

struct Victims {
  std::vector<JobId> jobs;    // in order of id
  std::vector<NodeId> nodes;  // nodes on which the job fits once the victims have ended
};

// Leaves out the `reserved` nodes. Chooses the nodes with the cheapest victims: compares the
// highest priority of a victim, then the number of GPUs, the number of jobs, the sum of priorities
// and the node id; lower is cheaper. nullopt: there is no such set.
std::optional<Victims> FindVictims(const State& state, const ScratchNodes& nodes,
                                   PreemptionCandidates& preemption_candidates,
                                   const std::set<NodeId>& reserved, const Job& job);

}  // namespace gp
