#pragma once

// Arrays as messages.

#include "adapters/wire/views/views.h"

namespace gp {

// Fills in one list line for the whole array.  REQUIRES: the array exists.
void ArrayLine(const State& state, JobId array, Instant now, PendingReasons& reasons,
               v1::Job* message);

}  // namespace gp
