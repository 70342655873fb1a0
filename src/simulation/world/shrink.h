#pragma once

// Reduces a world that breaks a rule: leaves out jobs and mishaps while a rule is still broken.

#include <functional>
#include <string>

#include "simulation/world/world_plan.h"

namespace gp {

// REQUIRES: `breaks` holds for `part`.  Calls it at most `tries_max` times.
WorldPart Shrink(WorldPart part, int tries_max,
                 const std::function<bool(const WorldPart&)>& breaks);

// The command that plays the whole plan.
std::string CommandFor(const WorldPlan& plan);
// The command that plays this part, and its mishaps in words.
std::string TellPart(const WorldPlan& plan, const WorldPart& part);

}  // namespace gp
