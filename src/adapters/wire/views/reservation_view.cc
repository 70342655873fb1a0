#include "adapters/wire/views/reservation_view.h"

#include <algorithm>

namespace gp {
namespace {

int64_t JobsRunningIn(const State& state, const Reservation& reservation) {
  int64_t running = 0;
  for (const NodeId id : reservation.nodes) {
    for (const LeaseId lease_id : state.FindNode(id)->leases) {
      const Lease& lease = *state.FindLease(lease_id);
      if (lease.rank == 0 &&
          state.FindJob(lease.job)->spec->placement.reservation == reservation.name)
        ++running;
    }
  }
  return running;
}

int64_t JobsQueuedFor(const State& state, const Reservation& reservation) {
  int64_t queued = 0;
  for (const auto& [equivalence_class, jobs] : state.jobs.equivalence_classes) {
    if (equivalence_class.shape.reservation == reservation.name)
      queued += static_cast<int64_t>(jobs.size());
  }
  return queued;
}

}  // namespace

void ReservationView(const State& state, const Reservation& reservation, Instant now,
                     v1::Reservation* message) {
  message->set_name(reservation.name);
  message->set_pool(reservation.pool);
  for (const NodeId id : reservation.nodes) message->add_nodes(state.FindNode(id)->facts->name);
  message->set_starts_at(ToRfc3339(WallOf(state.time, reservation.starts_at)));
  message->set_ends_at(ToRfc3339(WallOf(state.time, reservation.ends_at)));
  message->mutable_users()->Assign(reservation.users.begin(), reservation.users.end());
  message->mutable_queues()->Assign(reservation.queues.begin(), reservation.queues.end());
  message->set_note(reservation.note);
  message->set_active(now >= reservation.starts_at);
  message->set_jobs_running(JobsRunningIn(state, reservation));
  message->set_jobs_queued(JobsQueuedFor(state, reservation));
  message->set_maintenance(reservation.maintenance);
}

void ReservationsView(const State& state, Instant now, v1::ListReservationsReply* message) {
  for (const auto& [name, reservation] : state.reservations.all)
    ReservationView(state, reservation, now, message->add_reservations());
}

Reservation FromProto(const v1::ReserveNodesRequest& message) {
  static constexpr int64_t kMillisecondsMax = INT64_MAX / 1'000'000;
  const auto instant = [](int64_t ms) {
    return Instant{std::clamp<int64_t>(ms, 0, kMillisecondsMax) * 1'000'000};
  };
  Reservation reservation;
  reservation.name = message.name();
  if (!message.pool().empty()) reservation.pool = message.pool();
  reservation.starts_at = instant(message.start_ms());
  reservation.ends_at = instant(message.end_ms());
  reservation.users.assign(message.users().begin(), message.users().end());
  reservation.queues.assign(message.queues().begin(), message.queues().end());
  reservation.note = message.note();
  reservation.maintenance = message.maintenance();
  return reservation;
}

}  // namespace gp
