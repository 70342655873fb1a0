#pragma once

// When the last job leaves a draining node.

#include <vector>

#include "domain/cluster/state/state.h"

namespace gp {

struct DrainEnd {
  // The latest end by time limits and the drain's deadline; kNever: unknown; ns == 0: no job is
  // there
  Instant at;
  int jobs = 0;  // still on the node
  // Those of them without a time limit, if the drain has no deadline
  std::vector<JobId> endless;
};

DrainEnd EndOfDrain(const State& state, const Node& node);

}  // namespace gp
