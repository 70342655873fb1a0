#pragma once

// The result of a recorded workload under a policy.

#include <cstdint>
#include <vector>

#include "simulation/scenario/trace_workload.h"

namespace gp {

struct TraceCluster {
  int nodes = 0;
  int gpus_per_node = 0;
  int64_t gpus() const { return int64_t{nodes} * gpus_per_node; }
};

struct TraceResult {
  double mean_jct_h = 0;  // from submit to end
  double median_jct_s = 0;
  double p99_jct_h = 0;
  double mean_wait_h = 0;  // JCT minus duration
  double p99_wait_h = 0;
  double max_wait_h = 0;
  // GPU time of all jobs, divided by that of the cluster from the first submit to the last end.
  double utilization = 0;
  int64_t jobs = 0;
  int64_t preemptions = 0;
  // Of every job's end and of the last state; 0: not played by the production engine.
  uint64_t digest = 0;
};

// The part of the workload (0 to 1) that has been submitted by then, measured in time.
double DoneBy(int64_t now_s, const std::vector<TraceJob>& jobs);

TraceResult Summarize(const TraceWorkload& workload, const TraceCluster& cluster,
                      const std::vector<int64_t>& ends_s, int64_t preemptions);

}  // namespace gp
