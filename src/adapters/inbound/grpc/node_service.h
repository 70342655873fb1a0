#pragma once

#include <string>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/grpc/node_peer.h"
#include "application/access/access_guard.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "lib/tls/authority.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

// The agents' service over gRPC: joins, reports, desired states, tunnels.  gRPC calls it on its own
// threads.
class NodeService final : public v1::NodeLink::Service {
 public:
  // Signs nodes' certificates, each valid for `life`; nullptr: connections are not encrypted.
  struct Vouching {
    const Authority* authority;
    Duration life;
  };
  // All references outlive the service.
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
  // `node`: whose certificate it must be; empty: any node.
  Status CheckPeer(const grpc::ServerContext& context, const std::string& node);
  // Returns `status`; an error is written to the audit.
  Status Audited(const grpc::ServerContext& context, const std::string& operation,
                 const std::string& node, Status status);
  Result<std::string> CertificateFor(const grpc::ServerContext& context,
                                     const v1::CertifyRequest& request);
  Status Hear(NodeExchange& exchange, const v1::AgentMessage& message);
  // Adds the secrets that jobs name to the leases that are to start.
  void AddSecrets(NodeDesiredState& desired) const;
  v1::ControllerMessage ToMessage(const ControllerNews& news) const;

  NodeGateway& nodes_;
  Api& api_;
  ControlGateway& gateway_;
  const std::string join_token_;
  const Vouching vouching_;
  const SecretKeeper* const secrets_;  // nullptr: no secrets
};

}  // namespace gp
