#include "domain/cluster/apply_parts.h"

namespace gp {

void IndexReservation(State& state, const Reservation& reservation) {
  for (const NodeId id : reservation.nodes) NodeOf(state, id).reservations.insert(reservation.name);
  state.reservation_ends.insert({reservation.ends_at, reservation.name});
}

void ApplyEvent(State& state, Instant, const NodesReserved& event) {
  state.reservations[event.reservation.name] = event.reservation;
  IndexReservation(state, event.reservation);
}

void ApplyEvent(State& state, Instant, const ReservationEnded& event) {
  const auto found = state.reservations.find(event.name);
  for (const NodeId id : found->second.nodes) NodeOf(state, id).reservations.erase(event.name);
  state.reservation_ends.erase({found->second.ends_at, event.name});
  state.reservations.erase(found);
}

}  // namespace gp
