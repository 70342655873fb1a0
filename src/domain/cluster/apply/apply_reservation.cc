#include "domain/cluster/apply/apply_parts.h"
#include "domain/cluster/reservations.h"

namespace gp {

namespace {

template <typename Visit>
void ForEachJobOn(const State& state, const Reservation& reservation, Visit visit) {
  for (const NodeId id : reservation.nodes) {
    for (const LeaseId lease : state.nodes.all[id.value].leases)
      visit(*state.FindJob(state.FindLease(lease)->job));
  }
}

}  // namespace

void IndexReservation(State& state, const Reservation& reservation) {
  for (const NodeId id : reservation.nodes) NodeOf(state, id).reservations.insert(reservation.name);
  state.reservations.ends.insert({reservation.ends_at, reservation.name});
}

void FollowWallClock(State& state, Duration wall) {
  const Duration by = wall - state.time.wall;
  state.time.wall = wall;
  if (by.ns == 0 || state.reservations.all.empty()) return;
  state.reservations.ends.clear();
  state.jobs.maintenance_stops.clear();
  for (auto& [name, reservation] : state.reservations.all) {
    reservation.starts_at = reservation.starts_at - by;
    reservation.ends_at = reservation.ends_at - by;
    reservation.is_moved = true;
    state.reservations.ends.insert({reservation.ends_at, name});
  }
  for (const auto& [name, reservation] : state.reservations.all) {
    if (reservation.maintenance)
      ForEachJobOn(state, reservation, [&](const Job& job) { IndexMaintenanceStop(state, job); });
  }
}

void ApplyEvent(State& state, Instant, const NodesReserved& event) {
  state.reservations.all[event.reservation.name] = event.reservation;
  IndexReservation(state, event.reservation);
  if (event.reservation.maintenance)
    ForEachJobOn(state, event.reservation,
                 [&](const Job& job) { IndexMaintenanceStop(state, job); });
}

void ApplyEvent(State& state, Instant, const ReservationEnded& event) {
  const auto found = state.reservations.all.find(event.name);
  const Reservation ended = found->second;
  for (const NodeId id : ended.nodes) NodeOf(state, id).reservations.erase(event.name);
  state.reservations.ends.erase({ended.ends_at, event.name});
  state.reservations.all.erase(found);
  if (!ended.maintenance) return;
  ForEachJobOn(state, ended, [&](const Job& job) {
    state.jobs.maintenance_stops.erase({MaintenanceStopAt(ended, job), job.id});
    IndexMaintenanceStop(state, job);  // another maintenance may end it at the same time
  });
}

}  // namespace gp
