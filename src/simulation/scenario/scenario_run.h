#pragma once

// Converts a scenario to a run that can be played.

#include <expected>
#include <vector>

#include "base/error.h"
#include "simulation/run/run_player.h"
#include "simulation/scenario/scenario.h"

namespace gp {

struct ScenarioRun {
  RunSteps steps;
  PlayOptions options;
};

// An error in one entry of the scenario.
struct ScenarioFault {
  enum class Part { kQueues, kJobs, kTraces, kEvents };

  Part part = Part::kQueues;
  size_t index = 0;
  Error error;
};

// A command that the cluster would refuse immediately, or a reference to an unknown node or job, is
// a fault.
std::expected<ScenarioRun, std::vector<ScenarioFault>> MakeRun(const Scenario& scenario);

}  // namespace gp
