#pragma once

// Reads nodes and tenants as the Alibaba GPU trace of 2023 lists them: CSV with a header line,
// plain or compressed with gzip.  Columns are found by name; the order of the file is kept.

#include <string>

#include "base/result.h"
#include "experiments/packing/experiment.h"

namespace gp {

// Nodes: sn, cpu_milli, memory_mib, gpu, model.  Tenants: name, cpu_milli, memory_mib, num_gpu,
// gpu_milli and, optionally, gpu_spec ("A10|T4"; empty: any).
// Errors: kNotFound, and kInvalidArgument with file, line and column.
Result<PackingWorkload> ReadPackingWorkload(const std::string& nodes, const std::string& tenants);

}  // namespace gp
