#pragma once

// Workloads of Kubernetes as job files: Pods, Jobs, and what Volcano, Kubeflow and JobSet make of
// several.

#include <string_view>

#include "adapters/inbound/job_import/imported_job.h"
#include "base/result.h"

namespace gp {

// All documents of the file, and the items of its lists; what starts no pods that end gets a note.
// kInvalidArgument: it is no YAML that is read here (one problem of many, with its place), there is
// nothing to run in it, the program of one is not named, or its ranks differ.
Result<ImportedJob> ImportKubernetes(std::string_view file_name, std::string_view text,
                                     const ImportOptions& options = {});

}  // namespace gp
