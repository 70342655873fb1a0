#pragma once

// The rules of reservations: while one lasts, only its own jobs are on its nodes.

#include <map>
#include <string>

#include "base/result.h"
#include "domain/cluster/state/state.h"

namespace gp {

// Whether the job names the reservation and may use it: one that was re-created under the same name
// may be for other users.
bool IsOf(const Reservation& reservation, const Job& job);

// Whether the reservation lets the job be placed on one of its nodes now.  An expired reservation
// counts until the tick that ends it.
bool Permits(const Reservation& reservation, const Job& job, Instant at);

// Whether the node is in maintenance now.
bool IsInMaintenance(const State& state, const Node& node, Instant at);

// Maintenance that may begin before the job has left its nodes, as long as the job was not ordered
// to stop for it.
std::vector<const Reservation*> InTheWayOf(const State& state, const Job& job);

// When a job is ordered to stop, so that it is gone when the maintenance begins.
Instant MaintenanceStopAt(const Reservation& maintenance, const Job& job);
// Adds the job to the index of jobs in the way of maintenance, or removes it, by its present state.
void IndexMaintenanceStop(State& state, const Job& job);

// The reservations of a node.
std::vector<const Reservation*> ReservationsOf(const State& state, const Node& node);

// Whether the job may be placed on the node now.  kConflict names the reservation that forbids it.
Status CheckReservations(const State& state, const Job& job, const Node& node, Instant at);

// Why the job's own reservation does not let it start now; empty: it does.
std::string WhyReservationWaits(const State& state, const Job& job, Instant at);

}  // namespace gp
