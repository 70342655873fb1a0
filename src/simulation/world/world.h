#pragma once

// A whole cluster in virtual time and one thread: the production controller, agents and fault
// policy, over a simulated network, disks, processes and GPUs that fail as planned.  Afterwards
// everything is healed, and every job must end.  The same plan gives the same world, bit by bit.

#include <string>

#include "simulation/world/world_plan.h"

namespace gp {

struct WorldReport {
  std::string broken;    // the first rule that was broken; empty: none
  uint64_t digest = 0;   // of all that happened
  uint64_t steps = 0;    // actions of the timeline
  uint64_t records = 0;  // records in the journal
  uint64_t starts = 0;   // programs started
  uint64_t crashes = 0;  // crashes of the controller
  Duration lasted;       // virtual time
  Duration cut;          // work of programs that did not complete
};

WorldReport RunWorld(const WorldPlan& plan, const WorldPart& part);

}  // namespace gp
