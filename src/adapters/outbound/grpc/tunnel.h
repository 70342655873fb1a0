#pragma once

// The agent's end of a channel: output of a job, a process inside one, or care for images.

#include <memory>
#include <string>

#include "adapters/outbound/grpc/node_credentials.h"
#include "adapters/outbound/grpc/running_exec.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "ports/inbound/channel_gateway.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// Opens the channels that controllers request, each in a call of its own and served by a thread,
// which ends with the call.  One thread calls it.
class Tunnels {
 public:
  // `credentials` must outlive this object.
  explicit Tunnels(const NodeCredentials& credentials) : credentials_(credentials) {}

  // The gateway that serves logs, exec and images; nullptr: no channel is opened any more.
  void SetGateway(ChannelGateway* gateway) { gateway_ = gateway; }
  // At the controller with that address.
  void Open(const std::string& address, const v1::OpenChannel& order);

 private:
  const NodeCredentials& credentials_;
  ChannelGateway* gateway_ = nullptr;
  // Of the last tunnel: the next one most often has the same address and certificate.
  std::string address_;
  std::string certificate_;
  std::shared_ptr<grpc::Channel> line_;
  // Threads of tunnels outlive this object.
  const std::shared_ptr<ExecSessions> sessions_ = std::make_shared<ExecSessions>();
};

}  // namespace gp
