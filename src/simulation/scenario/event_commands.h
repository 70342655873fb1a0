#pragma once

#include <variant>

#include "base/result.h"
#include "simulation/run/run_steps.h"
#include "simulation/scenario/scenario.h"
#include "simulation/scenario/scenario_ids.h"

namespace gp {

// Converts an event of a scenario to a step of a run. kNotFound: the event names a node or job that
// does not exist; the message lists existing ones.
Result<decltype(RunStep::what)> StepOf(const ScenarioEvent& event, const ScenarioIds& ids);

}  // namespace gp
