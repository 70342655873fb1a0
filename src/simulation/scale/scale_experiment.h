#pragma once

// How long decisions take on a large cluster: jobs come to a cluster that is nearly full, others
// end, and each decision is timed from the queued job to its committed placement.

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"

namespace gp {

struct ScaleOptions {
  int nodes = 1'000;
  int gpus_per_node = 8;
  int decisions = 20'000;
  int fill_percent = 90;  // of the GPUs, before anything is timed
  uint64_t seed = 42;
  int64_t queued = 0;   // jobs that wait all the time
  int shapes = 10'000;  // of those
};

struct ScaleResult {
  struct Times {
    int64_t count = 0;
    double p50_us = 0;
    double p99_us = 0;
    double max_us = 0;
  };
  Times decision;
  std::map<std::string, Times> by_class;  // "1 GPU", "8 GPUs", "2 nodes"
  double placements_per_s = 0;            // decisions only, one thread
  double refusal_us = 0;                  // a gang of 512 GPUs that does not fit, with its reason
  double gang512_ms = 0;                  // one that fits
  double preempt64_ms = 0;    // whom to interrupt for a gang of 64 GPUs, and telling them
  double explain_ms = 0;      // why that gang waits and what would start it, nothing remembered
  double present_ms = 0;      // a copy of all that is open, to look ahead from
  double forecast_ms = 0;     // when a gang of 512 GPUs may start, from there
  double queued_pass_ms = 0;  // a pass over all that wait
  int64_t rss_mib = 0;
  int64_t classes = 0;  // of nodes, at the end
  double gpus_used_percent = 0;
};

// The same options make the same decisions on every machine; only the times differ.
ScaleResult RunScale(const ScaleOptions& options);

}  // namespace gp
