#pragma once

#include <span>
#include <string_view>

#include "base/done_watch.h"
#include "simulation/trace/job_trace.h"

namespace gp {

struct TracePolicy {
  std::string_view name;
  TraceResult (*play)(const TraceWorkload& workload, const TraceCluster& cluster,
                      const DoneWatch& watch);

  TraceResult replay(const TraceWorkload& workload, const TraceCluster& cluster,
                     const DoneWatch& watch = {}) const {
    return play(workload, cluster, watch);
  }
};

// docs/reference/trace_policies.md tells each.
std::span<const TracePolicy> TracePolicies();
// nullptr: there is none of that name.
const TracePolicy* FindTracePolicy(std::string_view name);

}  // namespace gp
