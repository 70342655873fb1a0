#include "domain/cluster/reservations.h"

#include <algorithm>

namespace gp {

bool IsOf(const Reservation& reservation, const Job& job) {
  return job.spec->placement.reservation == reservation.name &&
         Admits(reservation, job.user.name, job.queue);
}

bool Permits(const Reservation& reservation, const Job& job, Instant at) {
  const Instant left = EndOfStay(at, *job.spec);
  if (IsOf(reservation, job)) return at >= reservation.starts_at && left <= reservation.ends_at;
  return left <= reservation.starts_at;
}

bool IsInMaintenance(const State& state, const Node& node, Instant at) {
  return std::ranges::any_of(ReservationsOf(state, node), [&](const Reservation* one) {
    return one->maintenance && one->starts_at <= at && at < one->ends_at;
  });
}

std::vector<const Reservation*> InTheWayOf(const State& state, const Job& job) {
  std::vector<const Reservation*> maintenance;
  if (!HoldsLeases(job.state) || job.stop != StopCause::kNone) return maintenance;
  for (const LeaseId id : job.leases) {
    const Lease* lease = state.FindLease(id);
    if (lease == nullptr) continue;
    for (const Reservation* one : ReservationsOf(state, state.nodes.all[lease->node.value])) {
      if (one->maintenance && LatestEnd(job) > one->starts_at) maintenance.push_back(one);
    }
  }
  return maintenance;
}

Instant MaintenanceStopAt(const Reservation& maintenance, const Job& job) {
  return maintenance.starts_at - (job.spec->policy.grace + kEndMargin);
}

void IndexMaintenanceStop(State& state, const Job& job) {
  if (!state.jobs.maintenance_stops.empty()) {
    for (const auto& [name, one] : state.reservations.all) {
      if (one.maintenance)
        state.jobs.maintenance_stops.erase({MaintenanceStopAt(one, job), job.id});
    }
  }
  for (const Reservation* one : InTheWayOf(state, job))
    state.jobs.maintenance_stops.insert({MaintenanceStopAt(*one, job), job.id});
}

std::vector<const Reservation*> ReservationsOf(const State& state, const Node& node) {
  std::vector<const Reservation*> reservations;
  for (const std::string& name : node.reservations)
    reservations.push_back(&state.reservations.all.at(name));
  return reservations;
}

Status CheckReservations(const State& state, const Job& job, const Node& node, Instant at) {
  for (const Reservation* reservation : ReservationsOf(state, node)) {
    if (Permits(*reservation, job, at)) continue;
    return Fail(Conflict("node " + node.facts->name + " is reserved for " + reservation->name +
                         " from " + ToRfc3339(WallOf(state.time, reservation->starts_at)) + " to " +
                         ToRfc3339(WallOf(state.time, reservation->ends_at))));
  }
  return Ok();
}

std::string WhyReservationWaits(const State& state, const Job& job, Instant at) {
  const std::string& name = job.spec->placement.reservation;
  if (name.empty()) return "";
  const auto found = state.reservations.all.find(name);
  if (found == state.reservations.all.end())
    return "reservation " + name + " is over: submit the job again without it";
  const Reservation& reservation = found->second;
  if (!IsOf(reservation, job))
    return "reservation " + name + " is for others now: submit the job again without it";
  if (at < reservation.starts_at)
    return "reservation " + name + " begins at " +
           ToRfc3339(WallOf(state.time, reservation.starts_at));
  if (Permits(reservation, job, at)) return "";
  return "reservation " + name + " ends at " + ToRfc3339(WallOf(state.time, reservation.ends_at)) +
         ": the job's time limit of " + ToText(job.spec->policy.time_limit) + ", its grace of " +
         ToText(job.spec->policy.grace) + " and " + ToText(kEndMargin) +
         " are more than what is left";
}

}  // namespace gp
