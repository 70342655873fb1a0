#pragma once

// A whole cluster in virtual time and one thread: the production controller, the production agents
// and the production fault policy, over a network, disks, processes and GPUs that fail as a plan
// says.  Then all is healed, and everything must come to its end.  The same plan gives the same
// world, bit by bit.

#include <string>

#include "simulation/world/world_plan.h"

namespace gp {

struct WorldReport {
  std::string broken;    // the first rule that broke; empty: none
  uint64_t digest = 0;   // of all that happened
  uint64_t steps = 0;    // things that happened
  uint64_t records = 0;  // of the journal
  uint64_t starts = 0;   // programs executed
  uint64_t crashes = 0;  // of the controller
  Duration lasted;       // virtual time
  Duration cut;          // work of programs that did not come to their end
};

WorldReport RunWorld(const WorldPlan& plan, const WorldPart& part);

}  // namespace gp
