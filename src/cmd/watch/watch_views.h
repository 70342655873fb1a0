#pragma once

// The four views of `watch` and the lines above them.

#include <deque>
#include <string>
#include <vector>

#include "cmd/watch/watch_table.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

struct WatchData {
  v1::Cluster cluster;
  std::vector<v1::Job> jobs;  // that are not over
};

enum class WatchView { kGpus, kJobs, kQueue, kNodes };

WatchTable MakeView(WatchView view, const WatchData& data);

// Sums over the cluster; values that no GPU reports are left out and never 0.
struct WatchTotals {
  int gpus = 0;
  int in_use = 0;  // ALLOCATED or IN_USE
  int available = 0;
  int draining = 0;
  int broken = 0;  // DEGRADED, RESETTING, OFFLINE
  int nodes_lost = 0;
  int running = 0;
  int waiting = 0;
  std::optional<double> utilization;  // 0 to 1, mean of the GPUs that report it
  std::optional<double> memory;
  std::optional<int64_t> power_watts;
};
WatchTotals Sum(const WatchData& data);

std::string CountsText(const WatchTotals& totals, const WatchData& data);
// "util ▁▂▄▆ 71%  memory 64%  power 4.1 kW"
std::string LoadText(const WatchTotals& totals, const std::deque<double>& utilizations);

}  // namespace gp
