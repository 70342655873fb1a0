#pragma once

// The indexes of a state that was read from a snapshot.

#include "domain/cluster/state/state.h"

namespace gp {

// Fills the empty indexes from the values.  false: the values contradict each other.
bool BuildIndexes(State& state);

}  // namespace gp
