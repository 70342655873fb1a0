#pragma once

// Reservations as messages.

#include "domain/cluster/state/state.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

void ReservationView(const State& state, const Reservation& reservation, Instant now,
                     v1::Reservation* message);
void ReservationsView(const State& state, Instant now, v1::ListReservationsReply* message);

// Leaves the nodes empty: only the state can look up their names.
Reservation FromProto(const v1::ReserveNodesRequest& message);

}  // namespace gp
