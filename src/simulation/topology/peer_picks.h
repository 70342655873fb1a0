#pragma once

// How peers choose GPUs and cores of one node that has enough of both.

#include <vector>

#include "base/cpu_set.h"
#include "base/rng.h"
#include "domain/model/node.h"
#include "domain/placement/gpu_score.h"

namespace gp {

struct HostAsk {
  int gpus = 0;
  int cpus = 0;
};

struct HostPick {
  GpuMask gpus = 0;
  std::vector<CpuSet> cores;  // by NUMA node
};

std::vector<CpuSet> FreeCores(const Node& node);
// Whether the node has that many GPUs and cores left, wherever.
bool HasRoom(const Node& node, const HostAsk& ask);

// REQUIRES of all: HasRoom.
// The lowest GPUs; cores from the lowest NUMA node that has some, the lowest first.
HostPick PickLowest(const Node& node, const HostAsk& ask, Rng& rng);
// Any GPUs and any cores, drawn apart.
HostPick PickAny(const Node& node, const HostAsk& ask, Rng& rng);
// Cores of one socket where they fit, then GPUs of that socket as far as there are.
HostPick PickBySocket(const Node& node, const HostAsk& ask, Rng& rng);

}  // namespace gp
