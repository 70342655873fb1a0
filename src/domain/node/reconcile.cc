#include "domain/node/reconcile.h"

#include <map>
#include <optional>

namespace gp {
namespace {

std::optional<NodeActionKind> ActionForNew(const DesiredLease& desired) {
  if (desired.lease.stop != StopOrder::kNone) return NodeActionKind::kDecline;
  return desired.awaits_ports ? std::nullopt : std::optional(NodeActionKind::kStart);
}

std::optional<NodeActionKind> ActionFor(const DesiredLease* desired, const HeldLease* held) {
  if (held == nullptr) return ActionForNew(*desired);
  const Lease* ordered = desired == nullptr ? nullptr : &desired->lease;
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
  std::map<LeaseId, std::pair<const DesiredLease*, const HeldLease*>> all;
  for (const DesiredLease& desired_lease : desired.leases)
    all[desired_lease.lease.id].first = &desired_lease;
  for (const HeldLease& one : held) all[one.lease].second = &one;
  std::vector<NodeAction> actions;
  for (const auto& [id, pair] : all) {
    if (const auto kind = ActionFor(pair.first, pair.second)) actions.push_back({*kind, id});
  }
  return actions;
}

}  // namespace gp
