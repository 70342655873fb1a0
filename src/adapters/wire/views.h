#pragma once

// The state as users see it.  The messages are the one view model: gRPC sends them, REST and
// `-o json` are their JSON form, and the tables of the CLI are drawn from them.

#include "domain/cluster/state.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// `with_attempts`: the whole history; without it the message stays small for lists.
void JobView(const State& state, const Job& job, Instant now, bool with_attempts, v1::Job* message);
void ClusterView(const State& state, Instant now, v1::Cluster* message);

}  // namespace gp
