#pragma once

// Which queued jobs start now, and where.  A pure function of the state; its plan is a proposal
// that Decide checks again.

#include <vector>

#include "base/time.h"
#include "domain/cluster/command.h"
#include "domain/cluster/state.h"

namespace gp {

struct Plan {
  std::vector<PlaceGang> placements;  // in the order in which they must be committed
};

Plan Schedule(const State& state, Instant at);

}  // namespace gp
