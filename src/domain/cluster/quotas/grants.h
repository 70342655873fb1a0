#pragma once

// The only place that decides whether a grant fits.  Zero oversubscription rests on these checks,
// not on the planner that proposed the grant.

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/state/state.h"

namespace gp {

// What the request takes of this GPU: share and memory, in whole numbers.  In MIG mode: the
// smallest instance that is large enough (none: no profile), without a placement.
GpuGrant GrantOf(const GpuRequest& request, int gpu, const GpuFacts& facts);
// The same with the best free placement for the instance, if there is one.
GpuGrant PlacedGrantOf(const GpuRequest& request, int gpu, const GpuFacts& facts, const Gpu& now);

// The memory slices that the grant takes; none if it is not an instance of such a GPU.
MigSlices SlicesOf(const GpuGrant& grant, const GpuFacts& facts);

// Whether the grant fits on the GPU as it is now.  kConflict names the number that does not.
Status CheckGpuGrant(const Gpu& gpu, const GpuFacts& facts, GpuMode mode, const std::string& user,
                     const GpuGrant& grant);

// Whether the job may run on the node at all: the node is in the job's pool and reservation, and
// has the labels that the job requests.
bool MayUse(const Job& job, const Node& node);

// Whether one rank of the job may get everything that `at` names.
Status CheckGrants(const State& state, const Job& job, const RankPlacement& at);

// Adds the grants of a lease to the node's ledger, or removes them.  They must fit.
void HoldGrants(Node& node, const Lease& lease, const std::string& user);
void ReleaseGrants(Node& node, const Lease& lease);

}  // namespace gp
