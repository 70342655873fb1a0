#pragma once

// The families of invariants.cc, by subject: check_sums.cc, check_reservations.cc,
// check_job_indexes.cc, check_node_indexes.cc, check_shape.cc, check_faults.cc, check_metering.cc,
// check_requests.cc.

#include <vector>

#include "domain/cluster/check/violation.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

using Violations = std::vector<Violation>;

// "shape": ids and positions that the other checks index by; if it is broken, they would read
// outside their vectors.
void CheckShape(const State& state, Violations& found);

// I8: every stored sum equals what it sums.
void CheckSums(const State& state, Violations& found);

// I10: during a reservation only its own jobs are on its nodes.
void CheckReservations(const State& state, Violations& found);
void CheckReserved(const State& state, const Reservation& reservation, Violations& found);
void CheckReservedNode(const State& state, const Reservation& reservation, const Node& node,
                       Violations& found);

// The indexes hold the job exactly where it belongs, and hold nothing but existing jobs and nodes.
void CheckIndexesOf(const State& state, const Job& job, Violations& found);
void CheckJobIndexSizes(const State& state, Violations& found);
void CheckNodeIndexSizes(const State& state, Violations& found);

// I11: a GPU that is going out of service may not be granted.
void CheckTroublesOf(const State& state, const Node& node, Violations& found);
// The indexes of faults and incidents.
void CheckFaults(const State& state, Violations& found);

// The answered requests and their index; they do not grow without limit.
void CheckRequests(const State& state, Violations& found);

// I12: the time of all GPUs is in the usage ledger exactly once.  REQUIRES: nothing else is broken.
void CheckMetering(const State& state, Violations& found);

}  // namespace gp
