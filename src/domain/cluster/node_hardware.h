#pragma once

// A node whose agent joins again may be made of other hardware: a GPU less, more, exchanged or
// moved, a little less memory.  GPUs are matched by UUID and NUMA nodes by the kernel's number, so
// that every position that leases and marks name goes on to mean the same thing.

#include <vector>

#include "domain/cluster/state.h"

namespace gp {

// Whether the facts can be of the machine that the node is.  GPUs decide where both have some: a
// re-imaged host has the same, a cloned image others.  Else the machine ids do, where both are
// known; and they tell a machine whose missing GPUs are back from one that had the name before.
bool IsSameMachine(const NodeFacts& known, const NodeFacts& reported);

struct HardwareChange {
  NodeFacts facts;           // for the ledger; valid
  std::vector<int> missing;  // positions of GPUs that were there before
  // Of those that are held, and in MIG mode, out of it or divided otherwise than before
  std::vector<int> divided;
};

// A missing GPU keeps its position, and a new UUID gets one that the node never used.  A GPU that
// is held keeps its size and its division.  `held`: leases that live on; the cores and the memory
// that they hold stay the node's, though the machine may no longer have them.  All that is
// corrected when the node joins without those leases. Errors: kConflict: there is no position left.
Result<HardwareChange> MergeHardware(const Node& node, const NodeFacts& reported,
                                     const std::vector<const Lease*>& held);

// Whether the node would be another one by now if its agent joined again with these facts: what was
// held when it joined may be free since.
bool IsOutOfDate(const State& state, const Node& node, const NodeFacts& reported);
// Whether it would be another one if nothing were held.
bool IsHeldBack(const Node& node, const NodeFacts& reported);

}  // namespace gp
