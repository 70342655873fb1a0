#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "domain/cluster/decide/decide_parts.h"
#include "domain/cluster/reservations.h"

namespace gp {
namespace {

bool Overlap(const Reservation& a, const Reservation& b) {
  return a.starts_at < b.ends_at && b.starts_at < a.ends_at;
}

// Whether the node can be reserved for that time.
Status CheckNode(const State& state, const Reservation& wanted, const Node& node) {
  const std::string& name = node.facts->name;
  if (node.pool != wanted.pool)
    return Fail(Conflict("node " + name + " is in pool " + node.pool + ", not " + wanted.pool));
  for (const Reservation* other : ReservationsOf(state, node)) {
    if (Overlap(wanted, *other))
      return Fail(Conflict("node " + name + " is reserved for " + other->name + " until " +
                           ToRfc3339(WallOf(state.time, other->ends_at))));
  }
  if (wanted.maintenance) return Ok();  // jobs on the node are stopped in time
  for (const LeaseId id : node.leases) {
    const Job& job = *state.FindJob(state.FindLease(id)->job);
    const Instant end = LatestEnd(job);
    if (end <= wanted.starts_at) continue;
    return Fail(Conflict("node " + name + ": " + NameOf(job) + " runs there " +
                         (end == kNever
                              ? "without a time limit"
                              : "until " + ToRfc3339(WallOf(state.time, end)) + " at the latest")));
  }
  return Ok();
}

int64_t HeldGpus(const Node& node) {
  return std::ranges::count_if(node.gpus, [](const Gpu& gpu) { return !gpu.leases.empty(); });
}

// Chooses nodes that are in service, the emptiest first.
Result<std::vector<NodeId>> ChooseNodes(const State& state, const Reservation& wanted, int count) {
  std::set<std::pair<int64_t, NodeId>> free;
  Status last = Ok();
  for (const Node& node : state.nodes.all) {
    if (node.condition != NodeCondition::kUp || node.draining || node.pool != wanted.pool) continue;
    const Status may = CheckNode(state, wanted, node);
    if (may)
      free.insert({HeldGpus(node), node.id});
    else
      last = may;
  }
  if (static_cast<int>(free.size()) < count) {
    return Fail(Conflict("count: only " + std::to_string(free.size()) + " of " +
                         std::to_string(count) + " nodes in pool " + wanted.pool +
                         " can be free then" + (last ? "" : "; " + last.error().message)));
  }
  std::vector<NodeId> nodes;
  for (const auto& [emptiness, id] : free) {
    if (static_cast<int>(nodes.size()) < count) nodes.push_back(id);
  }
  std::ranges::sort(nodes);
  return nodes;
}

Result<std::vector<NodeId>> NamedNodes(const State& state, const Reservation& wanted) {
  std::vector<NodeId> nodes = wanted.nodes;
  std::ranges::sort(nodes);
  if (std::ranges::adjacent_find(nodes) != nodes.end())
    return Fail(InvalidArgument("nodes: one is named twice"));
  for (const NodeId id : nodes) {
    const Node* node = state.FindNode(id);
    if (node == nullptr)
      return Fail(NotFound("nodes: no node with id " + std::to_string(id.value)));
    GP_CHECK_OK(CheckNode(state, wanted, *node));
  }
  return nodes;
}

}  // namespace

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const ReserveNodes& command) {
  const Instant at = envelope.at;
  Reservation wanted = command.reservation;
  const Instant now = WallOf(state.time, at);
  wanted.starts_at = std::max(wanted.starts_at, now);
  GP_CHECK_OK(ValidateReservation(wanted, now));  // the times are by the wall clock
  wanted.starts_at = InstantOf(state.time, wanted.starts_at);
  wanted.ends_at = InstantOf(state.time, wanted.ends_at);
  wanted.is_moved = false;
  if (state.reservations.all.contains(wanted.name))
    return Fail(Conflict("reservation " + wanted.name +
                         " exists: delete it first, or choose another name"));
  if (state.reservations.all.size() >= kReservationsMax)
    return Fail(
        Conflict("there are " + std::to_string(kReservationsMax) + " reservations already"));
  if (wanted.nodes.empty() == (command.count == 0))
    return Fail(InvalidArgument("nodes: name them, or say how many"));
  if (command.count < 0)
    return Fail(InvalidArgument("count: must be above 0, not " + std::to_string(command.count)));
  wanted.nodes = GP_TRY(command.count > 0 ? ChooseNodes(state, wanted, command.count)
                                          : NamedNodes(state, wanted));
  return Events{NodesReserved{std::move(wanted)}};
}
AuditWords WordsFor(const State&, const Events&, const ReserveNodes& command) {
  const Reservation& wanted = command.reservation;
  return {"ReserveNodes", wanted.name,
          ToRfc3339(wanted.starts_at) + " to " + ToRfc3339(wanted.ends_at)};
}

Result<Events> DecideCommand(const State& state, const Envelope&, const EndReservation& command) {
  if (!state.reservations.all.contains(command.name))
    return Fail(NotFound("no reservation " + Printable(command.name, 140)));
  return Events{ReservationEnded{command.name}};
}
AuditWords WordsFor(const State&, const Events&, const EndReservation& command) {
  return {"DeleteReservation", command.name, ""};
}

Status CheckReservationOf(const State& state, const JobSpec& spec, const std::string& user,
                          const Queue& queue) {
  if (spec.placement.reservation.empty()) return Ok();
  const auto found = state.reservations.all.find(spec.placement.reservation);
  if (found == state.reservations.all.end())
    return Fail(NotFound("reservation: there is no reservation " + spec.placement.reservation +
                         " (gpu-platform reservations list)"));
  const Reservation& reservation = found->second;
  if (!Admits(reservation, user, queue.name))
    return Fail(PermissionDenied("reservation: " + spec.placement.reservation +
                                 " is not for user " + user + ", nor for queue " + queue.name));
  if (reservation.pool != queue.pool)
    return Fail(InvalidArgument("reservation: " + spec.placement.reservation + " is in pool " +
                                reservation.pool + "; queue " + queue.name + " is in pool " +
                                queue.pool));
  if (spec.policy.time_limit.ns == 0)
    return Fail(InvalidArgument(
        "time_limit: a job in a reservation needs one, to end before the reservation does"));
  if (LongestStay(spec) > reservation.ends_at - reservation.starts_at) {
    return Fail(InvalidArgument("time_limit: with its grace and " + ToText(kEndMargin) +
                                " to end, the job is longer than reservation " +
                                spec.placement.reservation + " of " +
                                ToText(reservation.ends_at - reservation.starts_at)));
  }
  return Ok();
}

}  // namespace gp
