#pragma once

// One pass over the queue: its steps, in their order (pass_steps.h).

#include "domain/scheduling/pass/pass_scratch.h"

namespace gp {

// Plans once for one state and instant. The plan is made on scratch copies of nodes; while it is
// made, those copies are in the classes.
Plan MakePlan(const PassInput& input);

}  // namespace gp
