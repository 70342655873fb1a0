#pragma once

// The topology experiment: invented jobs on a cluster of equal machines, in virtual time.  A job
// that does not fit waits, and others may overtake it. docs/reference/topology_policies.md
// describes it.

#include <map>

#include "base/done_watch.h"
#include "experiments/topology/bandwidth.h"
#include "experiments/topology/policy.h"
#include "experiments/topology/workload.h"

namespace gp {

struct TopologyResult {
  struct Pairs {
    int64_t ranks = 0;
    double mean_gb_s = 0;   // mean over the ranks of the mean over each rank's pairs
    double worst_gb_s = 0;  // mean over the ranks of each rank's slowest pair
  };
  Pairs pairs;                   // ranks with more than one GPU
  std::map<int, Pairs> by_gpus;  // by GPUs of a rank
  // In percent of the GPUs of all ranks (RankQuality).
  double near_numa_pct = 0;
  double near_socket_pct = 0;
  double served_numa_pct = 0;
  double served_socket_pct = 0;
  int64_t jobs = 0;  // that count: all but the first tenth, which finds the cluster empty
  double mean_wait_s = 0;
  double p95_wait_s = 0;
  double used_pct = 0;  // GPU time in use while jobs arrive
};

// The same run gives the same result on every machine.
TopologyResult RunTopology(const TopologyMachine& machine, const BandwidthTable& bandwidth,
                           const NamedTopologyPolicy& policy, const TopologyDemand& demand,
                           const DoneWatch& watch = {});

}  // namespace gp
