#pragma once

// Plays a trace through policies without preemption: a job that has started runs to its end.

#include "base/done_watch.h"
#include "experiments/trace/trace_result.h"

namespace gp {

enum class QueuePolicy {
  kFifo,  // strict order: no job overtakes the head of the queue
  kSkip,  // a job that does not fit is skipped
  kEasy,  // the head has a reservation that backfilled jobs must not delay; durations are known
  kSjf,   // shortest first, a job that does not fit is skipped; durations are known
};

TraceResult ReplayQueue(const TraceWorkload& workload, const TraceCluster& cluster,
                        QueuePolicy policy, const DoneWatch& watch = {});

}  // namespace gp
