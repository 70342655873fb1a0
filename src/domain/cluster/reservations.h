#pragma once

// What reservations forbid: nobody but their own is on their nodes while they last.

#include <map>
#include <string>

#include "base/result.h"
#include "domain/cluster/state.h"

namespace gp {

// Whether the job names it, and may: one that was made anew under the same name may be for others.
bool IsOf(const Reservation& reservation, const Job& job);

// Whether the job may be placed now on a node of the reservation, as far as that goes.  A
// reservation that is over counts until the tick that ends it.
bool Permits(const Reservation& reservation, const Job& job, Instant at);

// Whether its node is out of use for maintenance now.
bool IsInMaintenance(const State& state, const Node& node, Instant at);

// Maintenance that begins on the job's nodes before it has left them; it was not told to yet.
std::vector<const Reservation*> InTheWayOf(const State& state, const Job& job);

// When a job is told to leave, to be gone when the maintenance begins.
Instant LeaveAt(const Reservation& maintenance, const Job& job);
// Enters the job into the index of those that are in the way of maintenance, as it stands now, or
// takes it out.
void IndexLeaving(State& state, const Job& job);

// The reservations of a node.
std::vector<const Reservation*> ReservationsOf(const State& state, const Node& node);

// Whether it may be placed on the node now.  kConflict names the reservation that forbids it.
Status CheckReservations(const State& state, const Job& job, const Node& node, Instant at);

// Why nothing is placed for the job by its own reservation now; empty: it may be.
std::string WhyReservationWaits(const State& state, const Job& job, Instant at);

}  // namespace gp
