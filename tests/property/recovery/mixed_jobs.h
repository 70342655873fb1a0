#pragma once

// Jobs on many nodes among jobs on one, coming and going in a fleet: how many of the large ones a
// failure interrupts.

#include "tests/property/recovery/fleet.h"

namespace gp {

struct JobStream {
  int nodes = 1;
  Duration work;   // the mean of what a job has to do; it begins again after an interruption
  Duration every;  // the mean time from one job to the next
};

struct MixedJobsSetting {
  FleetSetting fleet;
  JobStream large;
  JobStream small;
  Duration length;  // of the whole experiment
};

struct MixedJobsFigures {
  int large_attempts = 0;
  int large_interrupted = 0;  // of them
  int large_done = 0;
  int small_done = 0;
  FleetFigures fleet;
};

MixedJobsFigures RunMixedJobs(const MixedJobsSetting& setting, std::vector<std::string>& broken);

}  // namespace gp
