#pragma once

// The variants of a job: its own fields, then its alternatives, each on its number of nodes or, if
// it allows that, on fewer.

#include <memory>
#include <vector>

#include "domain/model/jobs/job_spec.h"

namespace gp {

// Whether there is more than one variant.
bool HasVariants(const JobSpec& spec);

// Whether any variant requests GPUs.
bool AsksForGpus(const JobSpec& spec);

// 1 plus the number of alternatives.
int CountVariants(const JobSpec& spec);

// The spec with the fields of this variant and no alternatives; keeps nodes_min.
// REQUIRES: 0 <= variant < CountVariants.
JobSpec Variant(const JobSpec& spec, int variant);

// The numbers of nodes on which a variant can start.
struct NodeRange {
  int least = 1;
  int most = 1;
};
NodeRange NodesOf(const JobSpec& spec, int variant);

// The fewest nodes on which the first variant can start.
int LeastNodes(const JobSpec& spec);

// The spec as placed: this variant, on that many nodes.
std::shared_ptr<const JobSpec> Resolve(const std::shared_ptr<const JobSpec>& spec, int variant,
                                       int nodes);

}  // namespace gp
