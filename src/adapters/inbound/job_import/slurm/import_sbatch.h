#pragma once

// Imports a script for Slurm's sbatch as a script with a #GPU header.

#include <string_view>

#include "adapters/inbound/job_import/imported_job.h"
#include "base/result.h"

namespace gp {

// `file_name` names a job without --job-name.  kInvalidArgument: there is no #SBATCH line, there is
// a #GPU header already, or the array cannot be read or is too large.
Result<ImportedJob> ImportSbatch(std::string_view file_name, std::string_view text,
                                 const ImportOptions& options = {});

}  // namespace gp
