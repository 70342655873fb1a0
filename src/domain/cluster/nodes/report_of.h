#pragma once

// What the agent of a node would report if one of its leases started or ended now and all else were
// as in the state.  Simulations without agents send these.

#include <optional>

#include "domain/cluster/command.h"
#include "domain/cluster/state/state.h"

namespace gp {

// nullopt: the lease has started.  REQUIRES: it is live.
ReportNode ReportOf(const State& state, Instant at, LeaseId lease, std::optional<LeaseEnd> end);

// Reports success for all GPU tasks that the node was given.
ReportGpus TasksDone(const State& state, NodeId node);

}  // namespace gp
