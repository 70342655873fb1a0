#pragma once

// Plays a trace through the production engine, policy and all: every job of one class, preemptible,
// its duration unknown.

#include "base/done_watch.h"
#include "simulation/trace/job_trace.h"

namespace gp {

TraceResult ReplayEngine(const TraceWorkload& workload, const TraceCluster& cluster,
                         const DoneWatch& watch = {});

}  // namespace gp
