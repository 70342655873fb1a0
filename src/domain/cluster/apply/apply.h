#pragma once

// The only writer of the state.  It never refuses: an event is a fact, and one that cannot be
// applied is a bug, asserted.

#include "base/time.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

void Apply(State& state, Instant at, const Event& event);

}  // namespace gp
