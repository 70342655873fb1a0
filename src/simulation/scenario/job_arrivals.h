#pragma once

#include "simulation/scenario/scenario_ids.h"
#include "simulation/scenario/scenario_run.h"

namespace gp {

// Appends the submits of a scenario's jobs to `steps`, unsorted.  It is a fault if there are too
// many.
void AddJobs(const Scenario& scenario, Instant begin, ScenarioIds& ids, RunSteps& steps,
             std::vector<ScenarioFault>& faults);

}  // namespace gp
