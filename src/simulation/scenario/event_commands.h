#pragma once

#include <variant>

#include "base/result.h"
#include "simulation/run/run_steps.h"
#include "simulation/scenario/scenario.h"
#include "simulation/scenario/scenario_ids.h"

namespace gp {

// What a node or a person does, as a step of a run.  kNotFound names the nodes or jobs that there
// are.
Result<decltype(RunStep::what)> StepOf(const ScenarioEvent& event, const ScenarioIds& ids);

}  // namespace gp
