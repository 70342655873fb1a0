#pragma once

// The plan of a pass, worked out the plain way: every node looked at for every job.  Slow, and
// remembers nothing; what the planner does must come out the same.

#include "domain/scheduling/planner.h"

namespace gp {

Plan PlainPlan(const State& state, Instant at);

}  // namespace gp
