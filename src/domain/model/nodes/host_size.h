#pragma once

// What of a node decides how many cores and how much memory a job gets beside its GPUs.

#include <compare>
#include <cstdint>

#include "domain/model/nodes/node.h"

namespace gp {

// Jobs get the same on nodes of equal size (quotas/host_need.h).
struct HostSize {
  int cpus = 0;
  int64_t memory_mib = 0;
  int gpus = 0;
  GpuSize first;    // of the node's first GPU
  GpuSize divided;  // of its first GPU in MIG mode; empty: there is none
  auto operator<=>(const HostSize&) const = default;
};

// REQUIRES: the node has GPUs.
HostSize HostSizeOf(const NodeFacts& facts);

}  // namespace gp
