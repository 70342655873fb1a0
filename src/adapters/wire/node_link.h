#pragma once

// Converts the messages between controller and agent.  Messages are untrusted input: impossible
// numbers are refused with kInvalidArgument.

#include "base/result.h"
#include "domain/cluster/command.h"
#include "domain/node/desired_state.h"
#include "gpu_platform/v1/node.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

void ToProto(const NodeFacts& facts, v1::NodeFacts* message);
Result<NodeFacts> FromProto(const v1::NodeFacts& message);

void ToProto(const LeaseObservation& seen, v1::LeaseObservation* message);
Result<LeaseObservation> FromProto(const v1::LeaseObservation& message);

void ToProto(const GpuObservation& seen, v1::GpuObservation* message);
GpuObservation FromProto(const v1::GpuObservation& message);

void ToProto(const FaultSignal& signal, v1::FaultSignal* message);
Result<FaultSignal> FromProto(const v1::FaultSignal& message);
void ToProto(const GpuTaskResult& result, v1::GpuTaskResult* message);
GpuTaskResult FromProto(const v1::GpuTaskResult& message);

// node_orders.cc
void ToProto(const NodeDesiredState& desired, v1::Orders* message);
Result<NodeDesiredState> FromProto(const v1::Orders& message);

}  // namespace gp
