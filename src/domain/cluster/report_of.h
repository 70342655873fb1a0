#pragma once

// What the agent of a node would report if one of its leases started, or ended, at this moment and
// all else were as the state knows it.  Whoever plays a cluster without its agents sends these.

#include <optional>

#include "domain/cluster/command.h"
#include "domain/cluster/state.h"

namespace gp {

// nullopt: the lease has started.  REQUIRES: it is live.
ReportNode ReportOf(const State& state, Instant at, LeaseId lease, std::optional<LeaseEnd> end);

// All that the node was told to do with its GPUs has gone well.
ReportGpus TasksDone(const State& state, NodeId node);

}  // namespace gp
