#pragma once

#include <span>
#include <string_view>

#include "base/done_watch.h"
#include "experiments/trace/trace_result.h"

namespace gp {

// A named policy that replays a trace in a cluster.
struct TracePolicy {
  std::string_view name;
  TraceResult (*play)(const TraceWorkload& workload, const TraceCluster& cluster,
                      const DoneWatch& watch);

  TraceResult replay(const TraceWorkload& workload, const TraceCluster& cluster,
                     const DoneWatch& watch = {}) const {
    return play(workload, cluster, watch);
  }
};

// All policies; docs/reference/trace_policies.md describes them.
std::span<const TracePolicy> TracePolicies();
// nullptr: no policy has this name.
const TracePolicy* FindTracePolicy(std::string_view name);

}  // namespace gp
