#pragma once

// What a job was seen to do with what it was granted.

#include "domain/cluster/state.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// Of its last attempt; of one that was never placed there are no ranks.
void ReportView(const State& state, const Job& job, Instant now, v1::JobReport* message);

}  // namespace gp
