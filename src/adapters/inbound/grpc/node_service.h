#pragma once

#include <string>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/api/node_admission.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "lib/tls/authority.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

// The agents' calls over gRPC: certificates and tunnels.  A tunnel holds a thread.
class NodeService final : public v1::NodeLink::Service {
 public:
  // Signs nodes' certificates, each valid for `life`; nullptr: connections are not encrypted.
  struct Vouching {
    const Authority* authority;
    Duration life;
  };
  // All references outlive the service.
  NodeService(Api& api, ControlGateway& gateway, JoinRules joins, Vouching vouching)
      : api_(api),
        gateway_(gateway),
        vouching_(vouching),
        admission_(api.guard, std::move(joins)) {}

  grpc::Status Certify(grpc::ServerContext* context, const v1::CertifyRequest* request,
                       v1::CertifyReply* reply) override;
  grpc::Status Tunnel(grpc::ServerContext* context,
                      grpc::ServerReaderWriter<v1::TunnelFrame, v1::TunnelFrame>* stream) override;

 private:
  Result<std::string> CertificateFor(const NodePeer& peer, const v1::CertifyRequest& request);

  Api& api_;
  ControlGateway& gateway_;
  const Vouching vouching_;
  const NodeAdmission admission_;
};

}  // namespace gp
