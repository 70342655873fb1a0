#pragma once

// A job's checkpoints and progress as messages.

#include "domain/cluster/state/state.h"
#include "gpu_platform/v1/control.pb.h"
#include "gpu_platform/v1/node.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

void CheckpointsView(const State& state, const Job& job, v1::Job* message);
void ProgressView(const v1::LeaseProgress& progress, v1::Progress* message);

}  // namespace gp
