#pragma once

// Arrays as users see them.

#include "adapters/wire/views.h"

namespace gp {

// One line for all of the array.  REQUIRES: it is known.
void ArrayLine(const State& state, JobId array, Instant now, PendingReasons& reasons,
               v1::Job* message);

}  // namespace gp
