#pragma once

#include "simulation/run/run_steps.h"
#include "simulation/scenario/scenario.h"
#include "simulation/scenario/scenario_ids.h"

namespace gp {

// Appends the nodes of a scenario, which join at its beginning, with their pools and labels.
void AddNodes(const Scenario& scenario, Instant begin, ScenarioIds& ids, RunSteps& steps);

}  // namespace gp
