#pragma once

#include "simulation/run/run_steps.h"
#include "simulation/scenario/scenario.h"
#include "simulation/scenario/scenario_ids.h"

namespace gp {

// The nodes of a scenario, there from the beginning, in their pools and with their labels.
void AddNodes(const Scenario& scenario, Instant begin, ScenarioIds& ids, RunSteps& steps);

}  // namespace gp
