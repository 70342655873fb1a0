#pragma once

#include "simulation/scenario/scenario_ids.h"
#include "simulation/scenario/scenario_run.h"

namespace gp {

// The jobs of a scenario, not yet in order.  Faults: there are too many of them.
void AddJobs(const Scenario& scenario, Instant begin, ScenarioIds& ids, RunSteps& steps,
             std::vector<ScenarioFault>& faults);

}  // namespace gp
