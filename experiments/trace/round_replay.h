#pragma once

// Plays a trace through reference policies that decide in rounds which jobs run.  A preempted job
// resumes later from where it was; each resumption costs it time.

#include "base/done_watch.h"
#include "experiments/trace/trace_result.h"

namespace gp {

enum class RoundPolicy {
  kLas,   // least attained GPU time first, in three levels; first come, first served in each
  kSrtf,  // least remaining GPU time first; durations are known
};

TraceResult ReplayRounds(const TraceWorkload& workload, const TraceCluster& cluster,
                         RoundPolicy policy, const DoneWatch& watch = {});

}  // namespace gp
