#pragma once

// The agent's decisions: compares the desired state with what the node holds, and lists the
// actions.

#include <vector>

#include "domain/node/desired_state.h"

namespace gp {

// What the node holds for one lease.
struct HeldLease {
  LeaseId lease;
  bool ended = false;
  StopOrder stop = StopOrder::kNone;  // the strongest order already carried out
  bool operator==(const HeldLease&) const = default;
};

enum class NodeActionKind {
  kStart,    // desired, not there, and it awaits no ports
  kDecline,  // desired but already to be stopped, never started: report it as ended
  kStop,     // to be stopped with grace
  kKill,     // to be stopped at once, or not desired at all: its lease is over
  kForget,   // ended and no longer desired: the controller knows
};

struct NodeAction {
  NodeActionKind kind;
  LeaseId lease;
  bool operator==(const NodeAction&) const = default;
};

// In order of lease; at most one action for each lease.
std::vector<NodeAction> Reconcile(const NodeDesiredState& desired,
                                  const std::vector<HeldLease>& held);

}  // namespace gp
