#pragma once

// The pod of a workload: its program, what it asks of a node, and how long it may run.

#include "adapters/inbound/job_import/kubernetes_workload.h"

namespace gp {

// kInvalidArgument: what its container runs is not known.
Status TakePod(const Workload& workload, Document& document);

}  // namespace gp
