#include "experiments/trace/trace_result.h"

#include <algorithm>
#include <numeric>

#include "base/percentile.h"

namespace gp {
namespace {

constexpr double kHour = 3600;

double Mean(const std::vector<int64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), int64_t{0})) /
         static_cast<double>(values.size());
}

}  // namespace

double DoneBy(int64_t now_s, const std::vector<TraceJob>& jobs) {
  const int64_t last_s = jobs.empty() ? 0 : jobs.back().submit_s;
  return now_s >= last_s ? 1 : static_cast<double>(now_s) / static_cast<double>(last_s);
}

TraceResult Summarize(const TraceWorkload& workload, const TraceCluster& cluster,
                      const std::vector<int64_t>& ends_s, int64_t preemptions) {
  TraceResult result;
  result.jobs = static_cast<int64_t>(workload.jobs.size());
  result.preemptions = preemptions;
  if (workload.jobs.empty()) return result;
  std::vector<int64_t> jct;
  std::vector<int64_t> wait;
  int64_t gpu_seconds = 0;
  for (size_t i = 0; i < ends_s.size(); ++i) {
    const TraceJob& job = workload.jobs[i];
    jct.push_back(ends_s[i] - job.submit_s);
    wait.push_back(jct.back() - job.duration_s);
    gpu_seconds += job.duration_s * job.gpus;
  }
  result.mean_jct_h = Mean(jct) / kHour;
  result.median_jct_s = static_cast<double>(Percentile(jct, 50));
  result.p99_jct_h = static_cast<double>(Percentile(jct, 99)) / kHour;
  result.mean_wait_h = Mean(wait) / kHour;
  result.p99_wait_h = static_cast<double>(Percentile(wait, 99)) / kHour;
  result.max_wait_h = static_cast<double>(std::ranges::max(wait)) / kHour;
  const int64_t span_s = std::ranges::max(ends_s) - workload.jobs.front().submit_s;
  if (span_s > 0) {
    result.utilization =
        static_cast<double>(gpu_seconds) / static_cast<double>(span_s * cluster.gpus());
  }
  return result;
}

}  // namespace gp
