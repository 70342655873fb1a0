#pragma once

// Progress of commands that simulate: on stderr, if that is a terminal and messages are wanted.

#include "base/done_watch.h"
#include "base/time.h"
#include "cmd/output.h"
#include "cmd/text/progress.h"
#include "simulation/run/watch.h"

namespace gp {

Progress::Terminal ProgressOn(const Output& output);

// "simulated day 12 of 31", of a run that is as long as `span`.  REQUIRES: `progress` outlives it.
DoneWatch ShowDays(Progress& progress, Duration span);
// The same of a run that is simulated from its first moment to `end`.
RunWatch ShowRun(Progress& progress, Instant begin, Instant end);
// Only the percentage.
DoneWatch ShowPart(Progress& progress);

}  // namespace gp
