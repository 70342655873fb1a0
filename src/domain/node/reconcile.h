#pragma once

// The agent's brain: what is ordered against what is there, as a list of things to do.

#include <vector>

#include "domain/node/desired_state.h"

namespace gp {

// What the node holds of one lease.
struct HeldLease {
  LeaseId lease;
  bool ended = false;
  StopOrder stop = StopOrder::kNone;  // the strongest order already carried out
  bool operator==(const HeldLease&) const = default;
};

enum class NodeActionKind {
  kStart,    // ordered, not there
  kDecline,  // ordered and already to be stopped, never started: report it as ended
  kStop,     // ordered to stop, with grace
  kKill,     // ordered to stop at once, or not ordered at all: its lease is over
  kForget,   // ended and no longer ordered: the controller knows
};

struct NodeAction {
  NodeActionKind kind;
  LeaseId lease;
  bool operator==(const NodeAction&) const = default;
};

// By lease; each lease gets at most one action.
std::vector<NodeAction> Reconcile(const NodeDesiredState& desired,
                                  const std::vector<HeldLease>& held);

}  // namespace gp
