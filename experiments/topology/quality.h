#pragma once

// The quality of the placement of one rank.

#include <cstdint>

#include "domain/cluster/command.h"
#include "experiments/topology/bandwidth.h"

namespace gp {

struct RankQuality {
  int gpus = 0;
  // Bandwidth between its GPUs; 0 if it has only one.
  double mean_pair_mb = 0;
  int64_t worst_pair_mb = 0;
  // GPUs with at least one core of the rank on their own NUMA node, or socket.
  int gpus_near_numa = 0;
  int gpus_near_socket = 0;
  // GPUs whose part of the rank's cores can come from their own NUMA node, or socket, so that a few
  // stray cores count only for what they are.
  double gpus_served_numa = 0;
  double gpus_served_socket = 0;
};

// REQUIRES: the rank has cores.
RankQuality QualityOf(const NodeFacts& facts, const BandwidthTable& bandwidth,
                      const RankPlacement& rank);

}  // namespace gp
