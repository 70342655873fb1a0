#pragma once

#include <string>

#include "base/done_watch.h"
#include "base/result.h"
#include "simulation/run/recorded_run.h"

namespace gp {

// The run recorded in a journal, from its first record on.
Result<RecordedRun> ReadRecordedRun(const std::string& journal, RunWatch watch = {},
                                    const DoneWatch& done = {});

}  // namespace gp
