#pragma once

// Jobs and Pods of Kubernetes as job files.

#include <string_view>

#include "adapters/inbound/job_import/imported_job.h"
#include "base/result.h"

namespace gp {

// All documents of the file; what is neither Job nor Pod gets a note.  kInvalidArgument: it is no YAML that is read here
// (one problem of many, with its place), there is no Job in it, or one whose program is not named.
Result<ImportedJob> ImportKubernetes(std::string_view file_name, std::string_view text);

}  // namespace gp
