#pragma once

// Imports Kubernetes workloads as job files: Pods, Jobs, and the gangs of Volcano, Kubeflow and
// JobSet.

#include <string_view>

#include "adapters/inbound/job_import/imported_job.h"
#include "base/result.h"

namespace gp {

// Imports all documents of the file and the items of its lists; a document without pods that end
// gets a note.  kInvalidArgument: the YAML is refused (with the first problem and its place), there
// is nothing to run, a program is not named, or the ranks of a job differ.
Result<ImportedJob> ImportKubernetes(std::string_view file_name, std::string_view text,
                                     const ImportOptions& options = {});

}  // namespace gp
