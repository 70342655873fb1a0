#pragma once

// A script for Slurm's sbatch as a script with a #GPU header.

#include <string_view>

#include "adapters/inbound/job_import/imported_job.h"
#include "base/result.h"

namespace gp {

// `file_name` gives a job without --job-name its name.  kInvalidArgument: there is no #SBATCH line,
// it has a #GPU header already, or it asks for an array that cannot be had as one.
Result<ImportedJob> ImportSbatch(std::string_view file_name, std::string_view text,
                                 const ImportOptions& options = {});

}  // namespace gp
