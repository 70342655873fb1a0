#pragma once

// One job on many nodes of a fleet: how much of its time is of use, and how often it is
// interrupted.

#include "tests/property/recovery/fleet.h"

namespace gp {

struct LargeJobSetting {
  FleetSetting fleet;
  int nodes = 64;
  Duration start_time;        // from its place to its first step: loading
  Duration checkpoint_every;  // of work
  Duration checkpoint_cost;
  Duration length;  // of the whole experiment
};

struct LargeJobFigures {
  Duration useful;  // work that was not lost
  Duration elapsed;
  FleetFigures fleet;
};

LargeJobFigures RunLargeJob(const LargeJobSetting& setting, std::vector<std::string>& broken);

}  // namespace gp
