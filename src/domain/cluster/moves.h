#pragma once

// Moving running jobs elsewhere, so that one that waits gets their places
// (docs/defragmentation.md).

#include <map>
#include <string>

#include "domain/cluster/state.h"

namespace gp {

// Whether it said that it may be moved, runs, and is not being stopped already.
bool IsMovable(const Job& job);

// Why a movable job may not be moved now; empty: it may be.
std::string WhyNotMoved(const State& state, const Job& job, Instant at);

// How many jobs may be moved now, of all that the policy allows in an hour.
int MovesLeft(const State& state, Instant at);

// Whether its destination is still kept for it: it has not left yet, waits for others to leave, or
// has just left.  Later it waits like others.
bool IsOnItsWay(const State& state, const Job& moving, Instant at);

// Nodes that others are leaving for somebody else, and for whom: they are cleared for one job at a
// time.
std::map<NodeId, JobId> ClearedForOthers(const State& state, JobId by);

// Enters the job where it may be moved, is being moved, or ever was; takes it out of the first two
// otherwise.
void IndexMoves(State& state, const Job& job);

}  // namespace gp
