#pragma once

// What is said of a node beside its hardware: how its drain goes, and who is on it.

#include "domain/cluster/state.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// REQUIRES: it drains.
void DrainView(const State& state, const Node& node, v1::NodeDrain* message);
void LeasesView(const State& state, const Node& node, v1::Node* message);

}  // namespace gp
