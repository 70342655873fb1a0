#pragma once

#include "domain/cluster/state/state.h"
#include "domain/explaining/explain.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

void ExplanationView(const State& state, const Job& job, const Explanation& explanation,
                     v1::ExplainJobReply* message);
// For a job that waits for the result of other jobs and is not in the queue yet.
void BlockedView(const Job& job, v1::ExplainJobReply* message);

}  // namespace gp
