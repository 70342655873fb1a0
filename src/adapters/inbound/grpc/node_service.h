#pragma once

// The agents' side of the controller: joins, reports, orders, tunnels.

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
  Status HandleReport(NodeId node, uint64_t incarnation, const v1::Report& message,
                      const std::shared_ptr<NodeSession>& session);
  void SendFirstOrders(NodeId node, NodeSession& session, uint64_t number);

  ControlGateway& gateway_;
  NodeSessions& sessions_;
  const std::string join_token_;
};

}  // namespace gp
