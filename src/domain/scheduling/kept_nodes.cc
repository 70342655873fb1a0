#include "domain/scheduling/kept_nodes.h"

#include <algorithm>

#include "domain/cluster/reservations.h"

namespace gp {

void KeptNodes::Keep(NodeId node, const Kept& kept) {
  kept_[node] = kept;
  by_stay_.clear();
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
    if (!Permits(reservation, job, at_)) closed.insert(reservation.nodes.begin(), reservation.nodes.end());
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

const std::set<NodeId>& KeptNodes::ClosedTo(const Job& job) {
  const bool is_owner = std::ranges::any_of(kept_, [&](const auto& kept) { return kept.second.job == job.id; });
  if (is_owner || !job.spec->reservation.empty()) return of_owner_ = WorkOut(job);
  const auto [known, is_new] = by_stay_.try_emplace(LongestStay(*job.spec));
  if (is_new) known->second = WorkOut(job);
  return known->second;
}

}  // namespace gp
