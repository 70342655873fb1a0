#include "domain/scheduling/kept_nodes.h"

#include <algorithm>
#include <iterator>

#include "domain/cluster/reservations.h"

namespace gp {

KeptNodes::KeptNodes(const State& state, Instant at, const std::map<NodeId, Kept>& kept)
    : state_(state), at_(at) {
  for (const auto& [node, one] : kept) Keep(node, one);
}

void KeptNodes::Keep(NodeId node, const Kept& kept) {
  kept_[node] = kept;
  owners_.insert(kept.job);
  ++changes_;
  opens_.reset();
  by_bound_.clear();
}

size_t KeptNodes::BoundOf(const Job& job) {
  if (!opens_) {
    opens_.emplace();
    for (const auto& [node, kept] : kept_) opens_->insert(kept.starts_by);
    for (const auto& [name, reservation] : state_.reservations)
      opens_->insert({reservation.starts_at, reservation.ends_at});
  }
  return static_cast<size_t>(
      std::distance(opens_->begin(), opens_->lower_bound(EndOfStay(at_, *job.spec))));
}

std::set<NodeId> KeptNodes::WorkOut(const Job& job) const {
  const Instant left = EndOfStay(at_, *job.spec);
  std::set<NodeId> closed;
  for (const auto& [node, kept] : kept_) {
    if (kept.job != job.id && left > kept.starts_by) closed.insert(closed.end(), node);
  }
  AddReserved(job, closed);
  return closed;
}

void KeptNodes::AddReserved(const Job& job, std::set<NodeId>& closed) const {
  for (const auto& [name, reservation] : state_.reservations) {
    if (!Permits(reservation, job, at_))
      closed.insert(reservation.nodes.begin(), reservation.nodes.end());
  }
}

std::set<NodeId> KeptNodes::OfOthers(const Job& job) const {
  std::set<NodeId> others;
  for (const auto& [node, kept] : kept_) {
    if (kept.job != job.id) others.insert(others.end(), node);
  }
  AddReserved(job, others);
  return others;
}

std::set<NodeId> KeptNodes::Taken(const Job& job) const {
  std::set<NodeId> taken;
  for (const auto& [node, kept] : kept_) taken.insert(taken.end(), node);
  AddReserved(job, taken);
  return taken;
}

const std::set<NodeId>& KeptNodes::ClosedTo(const Job& job) {
  if (owners_.contains(job.id) || !job.spec->reservation.empty()) return of_owner_ = WorkOut(job);
  const auto [known, is_new] = by_bound_.try_emplace(BoundOf(job));
  if (is_new) known->second = WorkOut(job);
  return known->second;
}

}  // namespace gp
