#pragma once

// A node may join again with other hardware: a GPU fewer, more, exchanged or moved, a little less
// memory.  GPUs are matched by UUID and NUMA nodes by the kernel's number, so that every position
// that leases and marks name keeps its meaning.

#include <vector>

#include "domain/cluster/state/state.h"

namespace gp {

// Whether the reported facts can belong to the known machine.  GPUs decide if both have some: a
// re-imaged host has the same GPUs, a cloned image has others.  Otherwise the machine ids decide,
// if both are known; they also distinguish a machine whose missing GPUs are back from an earlier
// machine of that name.
bool IsSameMachine(const NodeFacts& known, const NodeFacts& reported);

struct HardwareChange {
  NodeFacts facts;           // for the ledger; valid
  std::vector<int> missing;  // positions of GPUs that were there before
  // Positions of held GPUs whose MIG mode or division has changed
  std::vector<int> divided;
};

// A missing GPU keeps its position, and a new UUID gets one that the node never used.  A held GPU
// keeps its size and its division.  `held`: leases that stay alive; the node keeps their cores and
// memory, although the machine may no longer have them.  All that is corrected when the node joins
// without those leases.  kConflict: no position is left.
Result<HardwareChange> MergeHardware(const Node& node, const NodeFacts& reported,
                                     const std::vector<const Lease*>& held);

// Whether the node would change if its agent joined again now with these facts: what was held when
// it joined may be free by now.
bool IsOutOfDate(const State& state, const Node& node, const NodeFacts& reported);
// Whether the node would change if nothing were held.
bool IsHeldBack(const Node& node, const NodeFacts& reported);

}  // namespace gp
