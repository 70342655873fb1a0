#pragma once

// Plays a trace through the production engine with the default policy: all jobs have one priority
// class, are preemptible, and have unknown durations.

#include "base/done_watch.h"
#include "experiments/trace/trace_result.h"

namespace gp {

TraceResult ReplayEngine(const TraceWorkload& workload, const TraceCluster& cluster,
                         const DoneWatch& watch = {});

}  // namespace gp
