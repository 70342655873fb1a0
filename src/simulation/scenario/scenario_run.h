#pragma once

// A scenario as a run that can be played.

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

// What is wrong with one entry of the scenario.
struct ScenarioFault {
  enum class Part { kQueues, kJobs, kTraces, kEvents };

  Part part = Part::kQueues;
  size_t index = 0;
  Error error;
};

// Whatever the cluster would refuse at once, and whoever is named and not there, is a fault.
std::expected<ScenarioRun, std::vector<ScenarioFault>> MakeRun(const Scenario& scenario);

}  // namespace gp
