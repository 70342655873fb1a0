#pragma once

// The agent's end of a channel: output of a job, or a process inside one.

#include <memory>
#include <string>

#include "gpu_platform/v1/node.grpc.pb.h"
#include "ports/inbound/channel_gateway.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// Opens the tunnel and serves it on a new thread, which ends with the tunnel.
void ServeTunnel(std::shared_ptr<v1::NodeLink::Stub> stub, const std::string& join_token,
                 const v1::OpenChannel& order, ChannelGateway* gateway);

}  // namespace gp
