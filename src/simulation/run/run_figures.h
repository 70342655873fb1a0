#pragma once

// The key figures of a run: waiting times and GPU time.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "simulation/run/prices.h"
#include "simulation/run/usage.h"

namespace gp {

// The history of a job, as far as it came.
struct JobLife {
  std::string queue;
  Instant submitted_at;
  std::optional<Instant> started_at;  // first
  std::optional<Instant> ended_at;
  int preemptions = 0;
  int faults = 0;  // attempts lost with their node
};

struct WaitFigures {
  int64_t started = 0;
  double mean_s = 0;
  double median_s = 0;
  double p95_s = 0;
  double max_s = 0;
};

struct RunFigures {
  int64_t jobs = 0;
  int64_t ended = 0;
  int64_t never_started = 0;
  int64_t preemptions = 0;
  int64_t faults = 0;
  WaitFigures wait;  // from submit to first start, of those that started
  std::map<std::string, WaitFigures> by_queue;
  double mean_turnaround_s = 0;  // from submit to end, of those that ended
  double span_h = 0;             // from the first submit to the last end
  double gpu_hours_held = 0;
  double gpu_hours_installed = 0;
  double gpu_hours_idle_while_waiting = 0;  // free while jobs were pending
  double utilization = 0;                   // held / installed
  // The part of the free GPU time that the jobs could not have used; nullopt: nothing was free.
  std::optional<double> fragmentation;
  std::optional<UsageCost> cost;  // nullopt: no prices are given
};

RunFigures FiguresOf(const std::vector<JobLife>& lives, const Usage& usage,
                     const Prices& prices = {});

}  // namespace gp
