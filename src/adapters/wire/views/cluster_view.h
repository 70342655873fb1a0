#pragma once

#include "domain/cluster/state/state.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// `totals_only`: without the parts of the nodes.
void ClusterView(const State& state, Instant now, bool totals_only, v1::Cluster* message);

}  // namespace gp
