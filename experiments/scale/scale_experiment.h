#pragma once

// How long decisions take in a large cluster.  Jobs arrive at a nearly full cluster while others
// end; each decision is timed from the queued job to its committed placement.

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"

namespace gp {

struct ScaleOptions {
  int nodes = 1'000;
  int gpus_per_node = 8;
  int decisions = 20'000;
  int fill_percent = 90;  // GPUs allocated before anything is timed, in percent
  uint64_t seed = 42;
  bool with_image = false;  // jobs have an image, which every second node has
  int64_t queued = 0;       // jobs that are pending all the time
  int shapes = 10'000;      // of the pending jobs
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
  double placements_per_s = 0;            // decisions only, on one thread
  double refusal_us = 0;    // a gang of 512 GPUs that does not fit, including its reason
  double gang512_ms = 0;    // one that fits
  double preempt64_ms = 0;  // finding and stopping the victims of a gang of 64 GPUs
  // Explaining why that gang is pending and what would start it, without caches.
  double explain_ms = 0;
  double present_ms = 0;      // copying all that a forecast needs
  double forecast_ms = 0;     // the forecast of a gang of 512 GPUs from that copy
  double queued_pass_ms = 0;  // a pass over all pending jobs
  int64_t rss_mib = 0;
  int64_t classes = 0;  // equivalence classes of nodes, at the end
  double gpus_used_percent = 0;
};

// The same options give the same decisions on every machine; only times differ.
ScaleResult RunScale(const ScaleOptions& options);

}  // namespace gp
