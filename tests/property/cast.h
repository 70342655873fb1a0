#pragma once

// Who plays in a generated sequence: machines of odd and even layouts, and jobs of every shape that
// the rules know.  Small machines are the rule: what can go wrong with two GPUs goes wrong faster.

#include "base/rng.h"
#include "domain/model/jobs/job.h"
#include "domain/model/nodes/node.h"

namespace gp {

NodeFacts RandomFacts(Rng& rng, int index);

// A legal job that some machine may hold, or may not.
JobSpec RandomSpec(Rng& rng, int machines);

User RandomUser(Rng& rng);

}  // namespace gp
