#pragma once

// The one place that says whether a grant fits.  Zero oversubscription rests on these checks, not
// on the planner that proposed the grant.

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/cluster/state.h"

namespace gp {

// How a GPU is used by a job with this request.
GpuMode ModeFor(const GpuRequest& request);

// What the request takes of this GPU: share and memory, in whole numbers.  By MIG: the smallest
// instance that has as much (none: no profile), without a place.
GpuGrant GrantOf(const GpuRequest& request, int gpu, const GpuFacts& facts);
// The same with the best place that is left for the instance, where there is one.
GpuGrant PlacedGrantOf(const GpuRequest& request, int gpu, const GpuFacts& facts, const Gpu& now);

// The memory slices that the grant takes; none where it is no instance of such a GPU.
MigSlices SlicesOf(const GpuGrant& grant, const GpuFacts& facts);

// Whether the grant fits on the GPU as it is now.  kConflict says which number does not.
Status CheckGpuGrant(const Gpu& gpu, const GpuFacts& facts, GpuMode mode, const std::string& user,
                     const GpuGrant& grant);

// Whether the job may be on the node at all: it is of its pool, in its reservation, and has the
// labels that it asks for.
bool MayUse(const Job& job, const Node& node);

// Whether one rank of the job may have all that `at` names.
Status CheckGrants(const State& state, const Job& job, const RankPlacement& at);

// Enters the grants of a lease into the node's ledger, or takes them out again.  They must fit.
void HoldGrants(Node& node, const Lease& lease, const std::string& user);
void ReleaseGrants(Node& node, const Lease& lease);

}  // namespace gp
