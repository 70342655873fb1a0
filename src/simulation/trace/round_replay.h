#pragma once

// Plays a trace through reference policies that decide anew in rounds who runs.  A job that is
// interrupted goes on later from where it was, and each resumption costs it time.

#include "base/done_watch.h"
#include "simulation/trace/job_trace.h"

namespace gp {

enum class RoundPolicy {
  kLas,   // least attained GPU time first, in three levels; first come, first served in each
  kSrtf,  // least remaining GPU time first; durations are known
};

TraceResult ReplayRounds(const TraceWorkload& workload, const TraceCluster& cluster,
                         RoundPolicy policy, const DoneWatch& watch = {});

}  // namespace gp
