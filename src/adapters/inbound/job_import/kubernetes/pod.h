#pragma once

// Imports the pod of a workload: its program, its resources, and how long it may run.

#include "adapters/inbound/job_import/kubernetes/workload.h"

namespace gp {

// kInvalidArgument: the program of its container is not known.
Status TakePod(const Workload& workload, Document& document);

}  // namespace gp
