#pragma once

// Cores and host memory for a rank, taken from the NUMA nodes of its GPUs.

#include <optional>
#include <vector>

#include "domain/model/job_spec.h"
#include "domain/model/lease.h"
#include "domain/model/node.h"
#include "domain/placement/gpu_score.h"

namespace gp {

struct HostNeed {
  int cpus = 0;
  int64_t memory_mib = 0;
  bool operator==(const HostNeed&) const = default;
};

// What the job asked for, or the GPUs' fair part of the node where it asked for nothing.
HostNeed NeedOf(const JobSpec& spec, const NodeFacts& facts);

// How many GPUs of the set each NUMA node has; a job without GPUs belongs to all alike.
std::vector<int> GpusByNuma(const NodeFacts& facts, GpuMask gpus);

// Divides the need over the GPUs' NUMA nodes by the GPUs they hold; what does not fit there comes
// from others if the job may cross NUMA nodes.  nullopt: not enough.
std::optional<std::vector<NumaGrant>> ShareHost(const Node& node, const JobSpec& spec,
                                                GpuMask gpus);

}  // namespace gp
