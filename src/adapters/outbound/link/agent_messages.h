#pragma once

// The agent's messages as they are sent; the connection numbers them.

#include <vector>

#include "gpu_platform/v1/node.pb.h"
#include "ports/outbound/control_link.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

namespace v1 = gpu_platform::v1;

v1::AgentMessage ToMessage(const JoinNode& join);
v1::AgentMessage ToMessage(const GpuNews& news);
v1::AgentMessage ToMessage(const MetricParts& parts);
// `gpus`: static facts of each GPU, which are sent with its readings.
v1::AgentMessage ToMessage(const AgentReport& report, const std::vector<GpuIdentity>& gpus);
v1::AgentMessage ToMessage(const Heartbeat& heartbeat, const std::vector<GpuIdentity>& gpus);

}  // namespace gp
