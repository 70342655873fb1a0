#pragma once

// Reads tenants of the Alibaba GPU trace of 2023 as jobs: CSV with a header line, plain or
// compressed with gzip, in any order.

#include <string>

#include "base/result.h"
#include "simulation/scenario/trace_workload.h"

namespace gp {

// Columns creation_time and deletion_time (seconds), num_gpu, gpu_milli; other columns and
// pods without a GPU are ignored.  Errors: kNotFound, and kInvalidArgument with file, row and
// column.
Result<TraceWorkload> ReadPodWorkload(const std::string& pods);

}  // namespace gp
