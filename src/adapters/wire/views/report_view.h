#pragma once

// A job's use of the resources that it was granted, as a message.

#include "domain/cluster/state/state.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// Reports the last attempt; a job that was never placed has no ranks.
void ReportView(const State& state, const Job& job, Instant now, v1::JobReport* message);

}  // namespace gp
