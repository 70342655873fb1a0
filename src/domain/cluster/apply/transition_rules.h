#pragma once

// What holds before and after each event that changes the state, in words.  Decide has checked all
// of it when it made the event, so a rule that does not hold is a bug: GP_ASSERT ends the process,
// and the journal has everything up to the event.  An event without rules does not compile.

#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

void AssertBefore(const State& state, const Event& event);
void AssertAfter(const State& state, const Event& event);

}  // namespace gp
