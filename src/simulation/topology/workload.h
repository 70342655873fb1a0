#pragma once

// Jobs that are invented for a cluster of one kind of machine: they arrive at random, last for
// random times, and ask for a known part of what the cluster has.

#include <cstdint>
#include <memory>
#include <vector>

#include "domain/model/job_spec.h"
#include "domain/model/node.h"

namespace gp {

struct TopologyJob {
  int64_t submit_s = 0;
  int64_t duration_s = 0;
  std::shared_ptr<const JobSpec> spec;
  int gpus() const { return spec->nodes * spec->gpus.count; }
};

struct TopologyWorkload {
  std::vector<TopologyJob> jobs;  // by submit_s
  int64_t span_s = 0;             // they arrive in [0, span_s)
};

struct TopologyDemand {
  int nodes = 16;
  int jobs = 20'000;
  int load_percent = 87;  // GPU time asked for, of what the cluster has while jobs arrive
  uint64_t seed = 42;
};

// REQUIRES: the machine has GPUs; at least two nodes.
TopologyWorkload InventJobs(const NodeFacts& machine, const TopologyDemand& demand);

}  // namespace gp
