#pragma once

// Reads recorded jobs: CSV with a header line, plain or compressed with gzip, in order of
// submission.

#include <string>

#include "base/result.h"
#include "simulation/scenario/trace_workload.h"

namespace gp {

// Columns submit_s and duration_s (seconds), num_gpus (1 to 100,000); others are ignored.
// Errors: kNotFound, and kInvalidArgument with file, row and column.
Result<TraceWorkload> ReadTraceWorkload(const std::string& jobs);

}  // namespace gp
