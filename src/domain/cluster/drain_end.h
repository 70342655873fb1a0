#pragma once

// When a node that drains has let everybody go.

#include <vector>

#include "domain/cluster/state.h"

namespace gp {

struct DrainEnd {
  // At the latest, by time limits and the drain's deadline; kNever: nobody knows; ns == 0: nobody
  // is there
  Instant at;
  int jobs = 0;  // that are there
  // Of them, those that nothing ends: without a time limit, where the drain has no deadline
  std::vector<JobId> endless;
};

DrainEnd EndOfDrain(const State& state, const Node& node);

}  // namespace gp
