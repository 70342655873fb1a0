#pragma once

#include <span>
#include <string_view>

#include "simulation/trace/job_trace.h"

namespace gp {

struct TracePolicy {
  std::string_view name;
  TraceResult (*replay)(const TraceWorkload& workload, const TraceCluster& cluster);
};

// docs/reference/trace_policies.md tells each.
std::span<const TracePolicy> TracePolicies();
// nullptr: there is none of that name.
const TracePolicy* FindTracePolicy(std::string_view name);

}  // namespace gp
