#pragma once

// When the controller has something to do by itself.

#include "domain/cluster/state/state.h"

namespace gp {

// The first instant at which a Tick would do something; ns == 0: never.
Instant NextDeadline(const State& state);

}  // namespace gp
