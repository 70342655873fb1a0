#pragma once

// The families of invariants.cc, by subject: check_sums.cc, check_reservations.cc,
// check_indexes.cc, check_shape.cc, check_faults.cc, check_metering.cc.

#include <vector>

#include "domain/cluster/invariants.h"

namespace gp {

using Violations = std::vector<Violation>;

// "shape": what the other checks index by; where it is broken, they would read beside their
// vectors.
void CheckShape(const State& state, Violations& found);

// I8: what is kept as a sum is that sum.
void CheckSums(const State& state, Violations& found);

// I10: on reserved nodes nobody but their own has a place while they last.
void CheckReservations(const State& state, Violations& found);
void CheckReserved(const State& state, const Reservation& reservation, Violations& found);
void CheckReservedNode(const State& state, const Reservation& reservation, const Node& node,
                       Violations& found);

// The indexes hold the job exactly where it belongs; and nothing beside the jobs and nodes that
// there are.
void CheckIndexesOf(const State& state, const Job& job, Violations& found);
void CheckIndexSizes(const State& state, Violations& found);

// I11: a GPU that is to be taken out may not be granted.
void CheckTroublesOf(const State& state, const Node& node, Violations& found);
// The indexes of faults and incidents.
void CheckFaults(const State& state, Violations& found);

// I12: the time of all GPUs is in the book, once.  REQUIRES: nothing else is broken.
void CheckMetering(const State& state, Violations& found);

}  // namespace gp
