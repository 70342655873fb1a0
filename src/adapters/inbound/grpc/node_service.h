#pragma once

// The agents' side of the controller: joins, reports, orders, tunnels.

#include <functional>
#include <string>

#include "adapters/inbound/grpc/node_sessions.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

class NodeService final : public v1::NodeLink::Service {
 public:
  NodeService(ControlGateway& gateway, NodeSessions& sessions, std::string join_token)
      : gateway_(gateway), sessions_(sessions), join_token_(std::move(join_token)) {}

  using ExchangeStream = grpc::ServerReaderWriter<v1::ControllerMessage, v1::AgentMessage>;
  grpc::Status Exchange(grpc::ServerContext* context, ExchangeStream* stream) override;
  grpc::Status Tunnel(grpc::ServerContext* context, Channel::Stream* stream) override;

 private:
  Status CheckToken(const grpc::ServerContext& context) const;
  Result<NodeId> Join(JoinNode join);
  using Done = std::function<void(const Outcome&)>;
  Status HandleReport(NodeId node, uint64_t incarnation, const v1::Report& message, Done done);
  Status HandleGpuNews(NodeId node, uint64_t incarnation, const v1::GpuNews& message, Done done);
  void SendFirstOrders(NodeId node, NodeSession& session, uint64_t number);

  ControlGateway& gateway_;
  NodeSessions& sessions_;
  const std::string join_token_;
};

}  // namespace gp
