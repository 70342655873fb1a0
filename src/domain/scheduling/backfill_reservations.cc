#include "domain/scheduling/backfill_reservations.h"

#include <algorithm>
#include <iterator>

#include "domain/cluster/reservations.h"

namespace gp {

BackfillReservations::BackfillReservations(const State& state, Instant at,
                                           const std::map<NodeId, BackfillReservation>& backfill)
    : state_(state), at_(at) {
  for (const auto& [node, one] : backfill) Reserve(node, one);
}

void BackfillReservations::Reserve(NodeId node, const BackfillReservation& backfill) {
  backfill_[node] = backfill;
  owners_.insert(backfill.job);
  ++changes_;
  opens_.reset();
  by_bound_.clear();
}

size_t BackfillReservations::BoundOf(const Job& job) {
  if (!opens_) {
    opens_.emplace();
    for (const auto& [node, backfill] : backfill_) opens_->insert(backfill.shadow_time);
    for (const auto& [name, reservation] : state_.reservations.all)
      opens_->insert({reservation.starts_at, reservation.ends_at});
  }
  return static_cast<size_t>(
      std::distance(opens_->begin(), opens_->lower_bound(EndOfStay(at_, *job.spec))));
}

std::set<NodeId> BackfillReservations::ComputeClosed(const Job& job) const {
  const Instant ends_at = EndOfStay(at_, *job.spec);
  std::set<NodeId> closed;
  for (const auto& [node, backfill] : backfill_) {
    if (backfill.job != job.id && ends_at > backfill.shadow_time) closed.insert(closed.end(), node);
  }
  AddReserved(job, closed);
  return closed;
}

void BackfillReservations::AddReserved(const Job& job, std::set<NodeId>& closed) const {
  for (const auto& [name, reservation] : state_.reservations.all) {
    if (!Permits(reservation, job, at_))
      closed.insert(reservation.nodes.begin(), reservation.nodes.end());
  }
}

std::set<NodeId> BackfillReservations::OfOthers(const Job& job) const {
  std::set<NodeId> others;
  for (const auto& [node, backfill] : backfill_) {
    if (backfill.job != job.id) others.insert(others.end(), node);
  }
  AddReserved(job, others);
  return others;
}

std::set<NodeId> BackfillReservations::Taken(const Job& job) const {
  std::set<NodeId> taken;
  for (const auto& [node, backfill] : backfill_) taken.insert(taken.end(), node);
  AddReserved(job, taken);
  return taken;
}

const std::set<NodeId>& BackfillReservations::ClosedTo(const Job& job) {
  if (owners_.contains(job.id) || !job.spec->placement.reservation.empty())
    return of_owner_ = ComputeClosed(job);
  const auto [known, is_new] = by_bound_.try_emplace(BoundOf(job));
  if (is_new) known->second = ComputeClosed(job);
  return known->second;
}

}  // namespace gp
