#pragma once

// Makes a world that breaks a rule smaller: leaves out jobs and mishaps for as long as a rule still
// breaks.

#include <functional>
#include <string>

#include "simulation/world/world_plan.h"

namespace gp {

// REQUIRES: `breaks` holds of `part`.  Asks it at most `tries_max` times.
WorldPart Shrink(WorldPart part, int tries_max,
                 const std::function<bool(const WorldPart&)>& breaks);

// The command that plays it, and its mishaps in words.
std::string TellPart(const WorldPlan& plan, const WorldPart& part);

}  // namespace gp
