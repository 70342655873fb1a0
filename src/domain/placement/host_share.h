#pragma once

// Cores and host memory for a rank, taken from the NUMA nodes of its GPUs.

#include <optional>
#include <vector>

#include "domain/cluster/quotas/host_need.h"
#include "domain/model/jobs/job_spec.h"
#include "domain/model/nodes/lease.h"
#include "domain/model/nodes/node.h"
#include "domain/placement/gpu_score.h"

namespace gp {

// Number of GPUs of the set on each NUMA node; a job without GPUs belongs to all of them equally.
std::vector<int> GpusByNuma(const NodeFacts& facts, GpuMask gpus);

// Divides the need among the GPUs' NUMA nodes in proportion to their GPUs. The rest comes from
// other NUMA nodes if the job may cross NUMA nodes. nullopt: not enough.
std::optional<std::vector<NumaGrant>> ShareHost(const Node& node, const JobSpec& spec,
                                                GpuMask gpus);

}  // namespace gp
