#include "domain/cluster/check/invariant_parts.h"

#include <algorithm>
#include <string>

#include "domain/cluster/reservations.h"

namespace gp {

void CheckReservedNode(const State& state, const Reservation& reservation, const Node& node,
                       Violations& found) {
  for (const LeaseId lease : node.leases) {
    const Job& job = *state.FindJob(state.FindLease(lease)->job);
    if (reservation.is_moved) continue;
    if (LatestEnd(job) <= (IsOf(reservation, job) ? reservation.ends_at : reservation.starts_at))
      continue;
    // It will be stopped in time
    if (reservation.maintenance &&
        (job.stop != StopCause::kNone ||
         state.jobs.maintenance_stops.contains({MaintenanceStopAt(reservation, job), job.id})))
      continue;
    found.push_back({"I10", NameOf(job) + " may be on node " + node.facts->name +
                                " while it is reserved for " + reservation.name});
  }
}

void CheckReserved(const State& state, const Reservation& reservation, Violations& found) {
  for (const NodeId id : reservation.nodes) {
    const Node& node = state.nodes.all[id.value];
    if (!node.reservations.contains(reservation.name))
      found.push_back(
          {"index", "node " + node.facts->name + " does not know reservation " + reservation.name});
    CheckReservedNode(state, reservation, node, found);
  }
}

void CheckReservations(const State& state, Violations& found) {
  size_t memberships = 0;
  for (const auto& [name, reservation] : state.reservations.all) {
    CheckReserved(state, reservation, found);
    if (!state.reservations.ends.contains({reservation.ends_at, name}))
      found.push_back({"index", "the end of reservation " + name + " is not kept"});
    memberships += reservation.nodes.size();
  }
  for (const Node& node : state.nodes.all) memberships -= node.reservations.size();
  if (memberships != 0) found.push_back({"index", "a node knows a reservation that is not there"});
}

}  // namespace gp
