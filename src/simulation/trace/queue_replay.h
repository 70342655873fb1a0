#pragma once

// Plays a trace through policies that let every job run to its end once it has started.

#include "base/done_watch.h"
#include "simulation/trace/job_trace.h"

namespace gp {

enum class QueuePolicy {
  kFifo,  // nobody passes the head
  kSkip,  // who does not fit is passed over
  kEasy,  // the head has a reservation that nobody who passes may delay; durations are known
  kSjf,   // shortest first, who does not fit is passed over; durations are known
};

TraceResult ReplayQueue(const TraceWorkload& workload, const TraceCluster& cluster,
                        QueuePolicy policy, const DoneWatch& watch = {});

}  // namespace gp
