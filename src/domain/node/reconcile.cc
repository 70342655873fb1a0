#include "domain/node/reconcile.h"

#include <map>
#include <optional>

namespace gp {
namespace {

std::optional<NodeActionKind> ActionFor(const Lease* ordered, const HeldLease* held) {
  if (held == nullptr) {
    return ordered->stop == StopOrder::kNone ? NodeActionKind::kStart : NodeActionKind::kDecline;
  }
  if (ordered == nullptr) {
    if (held->ended) return NodeActionKind::kForget;
    return held->stop == StopOrder::kKill ? std::nullopt : std::optional(NodeActionKind::kKill);
  }
  if (held->ended || ordered->stop <= held->stop) return std::nullopt;
  return ordered->stop == StopOrder::kKill ? NodeActionKind::kKill : NodeActionKind::kStop;
}

}  // namespace

std::vector<NodeAction> Reconcile(const NodeDesiredState& desired,
                                  const std::vector<HeldLease>& held) {
  std::map<LeaseId, std::pair<const Lease*, const HeldLease*>> all;
  for (const DesiredLease& desired_lease : desired.leases)
    all[desired_lease.lease.id].first = &desired_lease.lease;
  for (const HeldLease& one : held) all[one.lease].second = &one;
  std::vector<NodeAction> actions;
  for (const auto& [id, pair] : all) {
    if (const auto kind = ActionFor(pair.first, pair.second)) actions.push_back({*kind, id});
  }
  return actions;
}

}  // namespace gp
