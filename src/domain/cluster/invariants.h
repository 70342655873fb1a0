#pragma once

// What must hold of every state (docs/reference/invariants.md).  I1 to I8 are the ledger's rules:
//   I1  memory granted of a GPU is at most its usable memory
//   I2  compute granted of a GPU is at most 1000 thousandths
//   I3  MIG instances stand on disjoint, legal slices (none are granted yet)
//   I4  a GPU is used in one mode, and shared by one user only
//   I5  a gang holds all its leases, or is on its way out, or holds none
//   I6  every lease has one live owner; new grants only on grantable GPUs (see CheckDelta)
//   I7  cores are held once, memory of a NUMA node at most as much as there is
//   I8  sums and indexes equal what they sum and index
//   I9  a placement keeps the limits of its queues
//   I10 on reserved nodes nobody but their own has a place while they last
//   I11 a GPU that is to be taken out may not be granted
//   I12 the time of all GPUs is in the book, once
// Besides, "shape": ids, positions and sizes that every other rule and Apply rely on.
// Not checked here: that the real processes agree with the ledger; reports see to that.

#include <string>
#include <vector>

#include "domain/cluster/event.h"
#include "domain/cluster/state.h"

namespace gp {

struct Violation {
  std::string rule;  // "I1" …, "index" or "shape"
  std::string detail;
};

// The whole state.
std::vector<Violation> CheckInvariants(const State& state);

// Only what the events touched: O(change).  `state` is the one after them.
std::vector<Violation> CheckDelta(const State& state, const std::vector<Event>& events);

}  // namespace gp
