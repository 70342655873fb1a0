#pragma once

#include "gpu_platform/v1/control.pb.h"
#include "infrastructure/table.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// One job, or one array, a row.
Table JobTable(const v1::ListJobsReply& reply);

}  // namespace gp
