#pragma once

// How good the place of one rank is.

#include <cstdint>

#include "domain/cluster/command.h"
#include "simulation/topology/bandwidth.h"

namespace gp {

struct RankQuality {
  int gpus = 0;
  // Between its GPUs; 0 where there is only one.
  double mean_pair_mb = 0;
  int64_t worst_pair_mb = 0;
  // GPUs to whose NUMA node, or socket, at least one core of the rank belongs.
  int gpus_near_numa = 0;
  int gpus_near_socket = 0;
  // GPUs that would get their part of the rank's cores from their own NUMA node, or socket: a few
  // stray cores do not count for more than they are.
  double gpus_served_numa = 0;
  double gpus_served_socket = 0;
};

// REQUIRES: the rank has cores.
RankQuality QualityOf(const NodeFacts& facts, const BandwidthTable& bandwidth,
                      const RankPlacement& rank);

}  // namespace gp
