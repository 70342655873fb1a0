#pragma once

#include <vector>

#include "simulation/scenario/scenario_run.h"

namespace gp {

// Sets the scenario's queues up on its nodes and submits one of each kind of job, so that what the
// cluster refuses is told before anything is played.  `nodes` begin the run.
std::vector<ScenarioFault> Rehearse(const Scenario& scenario, const RunSteps& nodes);

}  // namespace gp
