#pragma once

// The ways in which a job may be given what it needs: its own fields, then its alternatives, each
// with as many nodes as it says or, where it says so, fewer.

#include <memory>
#include <vector>

#include "domain/model/job_spec.h"

namespace gp {

// Whether there is more than one way.
bool HasVariants(const JobSpec& spec);

// Any of the ways has GPUs.
bool AsksForGpus(const JobSpec& spec);

// 1 and the alternatives.
int CountVariants(const JobSpec& spec);

// The spec with this variant in its place and no further ones; its nodes_min stays.
// REQUIRES: 0 <= variant < CountVariants.
JobSpec Variant(const JobSpec& spec, int variant);

// On how many nodes this variant starts.
struct NodeRange {
  int least = 1;
  int most = 1;
};
NodeRange NodesOf(const JobSpec& spec, int variant);

// The fewest nodes on which it starts.
int LeastNodes(const JobSpec& spec);

// The spec as it is given to the job: this variant, on so many nodes.
std::shared_ptr<const JobSpec> Resolve(const std::shared_ptr<const JobSpec>& spec, int variant,
                                       int nodes);

}  // namespace gp
