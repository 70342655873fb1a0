#pragma once

// How other schedulers choose GPUs and cores on a node that has enough of both.

#include <vector>

#include "base/cpu_set.h"
#include "base/rng.h"
#include "domain/model/nodes/node.h"
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
// Whether the node has that many free GPUs and cores, regardless of where.
bool HasRoom(const Node& node, const HostAsk& ask);

// All REQUIRE HasRoom.
HostPick PickLowest(const Node& node, const HostAsk& ask, Rng& rng);
// Random GPUs and random cores, drawn independently.
HostPick PickAny(const Node& node, const HostAsk& ask, Rng& rng);
// Cores of one socket if they fit there, then GPUs of that socket as far as available.
HostPick PickBySocket(const Node& node, const HostAsk& ask, Rng& rng);

}  // namespace gp
