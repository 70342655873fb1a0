#pragma once

// Jobs invented for a cluster of equal machines: they arrive at random, have random lengths, and
// request a known part of the cluster's GPU time.

#include <cstdint>
#include <memory>
#include <vector>

#include "domain/model/jobs/job_spec.h"
#include "domain/model/nodes/node.h"

namespace gp {

struct TopologyJob {
  int64_t submit_s = 0;
  int64_t duration_s = 0;
  std::shared_ptr<const JobSpec> spec;
  int gpus() const { return spec->resources.nodes * spec->resources.gpus.count; }
};

struct TopologyWorkload {
  std::vector<TopologyJob> jobs;  // by submit_s
  int64_t span_s = 0;             // arrivals are in [0, span_s)
};

struct TopologyDemand {
  int nodes = 16;
  int jobs = 20'000;
  // Requested GPU time, in percent of what the cluster has during the arrivals.
  int load_percent = 87;
  uint64_t seed = 42;
};

// REQUIRES: the machine has GPUs; at least two nodes.
TopologyWorkload InventJobs(const NodeFacts& machine, const TopologyDemand& demand);

}  // namespace gp
