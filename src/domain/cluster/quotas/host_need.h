#pragma once

// Cores and host memory that one rank of a job gets on a node.

#include <cstdint>

#include "domain/model/jobs/job_spec.h"
#include "domain/model/nodes/node.h"

namespace gp {

struct HostNeed {
  int cpus = 0;
  int64_t memory_mib = 0;
  bool operator==(const HostNeed&) const = default;
};

// The cores and memory that the job requests, or the GPUs' fair part of the node if it requests
// none.
HostNeed NeedOf(const JobSpec& spec, const NodeFacts& facts);

}  // namespace gp
