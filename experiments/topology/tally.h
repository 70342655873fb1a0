#pragma once

#include <vector>

#include "experiments/topology/experiment.h"
#include "experiments/topology/quality.h"

namespace gp {

// Sums up the results of the topology experiment.
class TopologyTally {
 public:
  void Add(const RankQuality& quality);
  void AddJob(int64_t wait_s) { waits_s_.push_back(wait_s); }
  TopologyResult Result() const;

 private:
  struct Pairs {
    int64_t ranks = 0;
    double mean_mb = 0;
    double worst_mb = 0;
  };
  static TopologyResult::Pairs MeanOf(const Pairs& sum);

  std::map<int, Pairs> by_gpus_;
  RankQuality sum_;  // of the values that are counted in GPUs
  std::vector<int64_t> waits_s_;
};

}  // namespace gp
