#pragma once

// The agents' side of the controller: joins, reports, orders, tunnels.

#include <string>

#include "adapters/inbound/api/node_channels.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

class NodeService final : public v1::NodeLink::Service {
 public:
  NodeService(NodeGateway& nodes, NodeChannels& channels, NodeReadings& readings, NodeProgress& progress, ControlGateway& gateway,
              std::string join_token)
      : nodes_(nodes), channels_(channels), readings_(readings), progress_(progress), gateway_(gateway), join_token_(std::move(join_token)) {}

  using ExchangeStream = grpc::ServerReaderWriter<v1::ControllerMessage, v1::AgentMessage>;
  grpc::Status Exchange(grpc::ServerContext* context, ExchangeStream* stream) override;
  grpc::Status Tunnel(grpc::ServerContext* context, grpc::ServerReaderWriter<v1::TunnelFrame, v1::TunnelFrame>* stream) override;

 private:
  Status CheckToken(const grpc::ServerContext& context) const;
  Status Hear(NodeExchange& exchange, const v1::AgentMessage& message);
  v1::ControllerMessage ToMessage(const ControllerNews& news) const;

  NodeGateway& nodes_;
  NodeChannels& channels_;
  NodeReadings& readings_;
  NodeProgress& progress_;
  ControlGateway& gateway_;
  const std::string join_token_;
};

}  // namespace gp
