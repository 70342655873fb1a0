#pragma once

// Details of a node beside its hardware: the progress of its drain, and its leases.

#include "domain/cluster/state/state.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// REQUIRES: the node is draining.
void DrainView(const State& state, const Node& node, v1::NodeDrain* message);
void LeasesView(const State& state, const Node& node, v1::Node* message);

}  // namespace gp
