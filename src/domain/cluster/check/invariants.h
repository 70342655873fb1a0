#pragma once

// What must hold of every state (docs/reference/invariants.md).  I1 to I8 are the ledger's rules:
//   I1  memory granted of a GPU is at most its usable memory
//   I2  compute granted of a GPU is at most 1000 thousandths
//   I3  MIG instances stand on disjoint, legal slices (none are granted yet)
//   I4  a GPU is used in one mode, and shared by one user only
//   I5  a gang holds all its leases, or is stopping, or holds none
//   I6  every lease has one live owner; new grants only on grantable GPUs (see CheckDelta)
//   I7  each core is held once; memory held of a NUMA node is at most what it has
//   I8  sums and indexes equal what they sum and index
//   I9  a placement keeps the limits of its queues
//   I10 during a reservation only its own jobs are on its nodes
//   I11 a GPU that is going out of service may not be granted
//   I12 the time of all GPUs is in the usage ledger exactly once
// In addition, "shape": ids, positions and sizes that every other rule and Apply rely on.
// Not checked here: that the real processes agree with the ledger; the agents' reports ensure that.

#include <vector>

#include "domain/cluster/check/violation.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

// The whole state.
std::vector<Violation> CheckInvariants(const State& state);

// Only what the events touched: O(change).  `state` is the state after them.
std::vector<Violation> CheckDelta(const State& state, const std::vector<Event>& events);

}  // namespace gp
