#pragma once

#include <vector>

#include "simulation/scenario/scenario_run.h"

namespace gp {

// Creates the scenario's queues on its nodes and submits one job of each group, so that a refusal
// is reported before the scenario is played.  `nodes`: the first steps of the run.
std::vector<ScenarioFault> Rehearse(const Scenario& scenario, const RunSteps& nodes);

}  // namespace gp
