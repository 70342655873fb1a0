#pragma once

// Moves of running jobs, so that a pending job gets their places (docs/defragmentation.md).

#include <map>
#include <string>

#include "domain/cluster/state/state.h"
#include "domain/model/jobs/preemptible.h"

namespace gp {

// Why a movable job may not be moved now; empty: it may.
std::string WhyNotMoved(const State& state, const Job& job, Instant at);

// How many moves are left now of those that the policy allows in an hour.
int MovesLeft(const State& state, Instant at);

// Whether the job's destination is still reserved for it: the job has not left yet, waits for
// others to leave, or has just left.  Later it waits like other jobs.
bool HoldsDestination(const State& state, const Job& moving, Instant at);

// The nodes where jobs other than `by` wait for their victims, each with its job: only one job at a
// time is nominated to a node.
std::map<NodeId, JobId> NominatedToOthers(const State& state, JobId by);

}  // namespace gp
