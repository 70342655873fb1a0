#pragma once

#include <string>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/grpc/exchange_reactor.h"
#include "adapters/inbound/grpc/node_admission.h"
#include "adapters/inbound/grpc/node_messages.h"
#include "adapters/inbound/grpc/stay_awake.h"
#include "adapters/inbound/grpc/work_queue.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "lib/tls/authority.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

// The agents' service over gRPC: joins, reports, desired states, tunnels.  Exchanges hold no
// threads; a tunnel holds one.
class NodeService final : public v1::NodeLink::WithCallbackMethod_Exchange<v1::NodeLink::Service> {
 public:
  // Signs nodes' certificates, each valid for `life`; nullptr: connections are not encrypted.
  struct Vouching {
    const Authority* authority;
    Duration life;
  };
  // All references outlive the service.
  NodeService(NodeGateway& nodes, Api& api, ControlGateway& gateway, std::string join_token,
              Vouching vouching, const SecretKeeper* secrets)
      : api_(api),
        gateway_(gateway),
        vouching_(vouching),
        admission_(api.guard, std::move(join_token)),
        messages_(secrets, api.channels),
        exchanges_{nodes, gateway, api, admission_, messages_, senders_} {}

  grpc::Status Certify(grpc::ServerContext* context, const v1::CertifyRequest* request,
                       v1::CertifyReply* reply) override;
  grpc::ServerBidiReactor<v1::AgentMessage, v1::ControllerMessage>* Exchange(
      grpc::CallbackServerContext* context) override;
  grpc::Status Tunnel(grpc::ServerContext* context,
                      grpc::ServerReaderWriter<v1::TunnelFrame, v1::TunnelFrame>* stream) override;

 private:
  static constexpr int kSenders = 1;

  Result<std::string> CertificateFor(const grpc::ServerContext& context,
                                     const v1::CertifyRequest& request);

  Api& api_;
  ControlGateway& gateway_;
  const Vouching vouching_;
  const NodeAdmission admission_;
  const ControllerMessages messages_;
  const ExchangeParts exchanges_;
  WorkQueue senders_{kSenders};  // ends before what its work uses
  StayAwake stay_awake_;
};

}  // namespace gp
