#pragma once

// The agents' side of the controller: joins, reports, orders, tunnels.

#include <string>

#include "adapters/certificates/authority.h"
#include "adapters/inbound/api/access_guard.h"
#include "adapters/inbound/api/api.h"
#include "adapters/inbound/grpc/node_peer.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

class NodeService final : public v1::NodeLink::Service {
 public:
  // Who vouches for nodes, and for how long at a time; nullptr: nothing is encrypted.
  struct Vouching {
    const Authority* authority;
    Duration life;
  };
  // All references outlive it.
  NodeService(NodeGateway& nodes, Api& api, ControlGateway& gateway, std::string join_token,
              Vouching vouching, const SecretKeeper* secrets)
      : nodes_(nodes),
        api_(api),
        gateway_(gateway),
        join_token_(std::move(join_token)),
        vouching_(vouching),
        secrets_(secrets) {}

  grpc::Status Certify(grpc::ServerContext* context, const v1::CertifyRequest* request,
                       v1::CertifyReply* reply) override;

  using ExchangeStream = grpc::ServerReaderWriter<v1::ControllerMessage, v1::AgentMessage>;
  grpc::Status Exchange(grpc::ServerContext* context, ExchangeStream* stream) override;
  grpc::Status Tunnel(grpc::ServerContext* context,
                      grpc::ServerReaderWriter<v1::TunnelFrame, v1::TunnelFrame>* stream) override;

 private:
  Status CheckToken(const grpc::ServerContext& context) const;
  // `node` empty: any.
  Status CheckPeer(const grpc::ServerContext& context, const std::string& node);
  // What it said is written into the audit where it was refused.
  Status Audited(const grpc::ServerContext& context, const std::string& operation,
                 const std::string& node, Status status);
  Result<std::string> CertificateFor(const grpc::ServerContext& context,
                                     const v1::CertifyRequest& request);
  Status Hear(NodeExchange& exchange, const v1::AgentMessage& message);
  // Those leases that are to be started are given what their jobs name.
  void AddSecrets(NodeDesiredState& desired) const;
  v1::ControllerMessage ToMessage(const ControllerNews& news) const;

  NodeGateway& nodes_;
  Api& api_;
  ControlGateway& gateway_;
  const std::string join_token_;
  const Vouching vouching_;
  const SecretKeeper* const secrets_;  // nullptr: none
};

}  // namespace gp
