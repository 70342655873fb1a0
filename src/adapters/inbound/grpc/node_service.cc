#include "adapters/inbound/grpc/node_service.h"

#include "adapters/inbound/grpc/grpc_streams.h"
#include "adapters/inbound/grpc/node_peer.h"
#include "adapters/inbound/grpc/status.h"

namespace gp {

Result<std::string> NodeService::CertificateFor(const NodePeer& peer,
                                                const v1::CertifyRequest& request) {
  if (!peer.is_encrypted || vouching_.authority == nullptr)
    return Fail(Conflict("certificates require an encrypted connection"));
  // A revoked certificate cannot be renewed.
  const bool is_own = peer.certificate && peer.certificate->node == request.node() &&
                      admission_.IsValid(request.node(), peer.certificate->fingerprint);
  std::string join_token;
  if (!is_own) join_token = GP_TRY(admission_.CheckJoin(peer, request.node()));
  const std::string certificate = GP_TRY(vouching_.authority->ForNode(
      request.request(), request.node(), vouching_.life, gateway_.WallNow()));
  const CertificateFacts facts = GP_TRY(ReadCertificate(certificate));
  const Outcome outcome = gateway_.Execute(Origin("node:" + request.node(), peer.from), "",
                                           CertifyNode{request.node(),
                                                       {facts.fingerprint, facts.expires_at},
                                                       is_own ? peer.certificate->fingerprint : "",
                                                       join_token});
  if (!outcome.status) return Fail(outcome.status.error());
  GP_CHECK_OK(gateway_.AwaitObservers());  // one of them is the access guard
  return certificate;
}

grpc::Status NodeService::Certify(grpc::ServerContext* context, const v1::CertifyRequest* request,
                                  v1::CertifyReply* reply) {
  const NodePeer peer = NodePeerOf(*context);
  const Result<std::string> certificate = CertificateFor(peer, *request);
  if (!certificate)
    return ToGrpc(
        admission_.Audited(peer, "CertifyNode", request->node(), Fail(certificate.error())));
  reply->set_certificate(*certificate);
  return grpc::Status::OK;
}

grpc::Status NodeService::Tunnel(
    grpc::ServerContext* context,
    grpc::ServerReaderWriter<v1::TunnelFrame, v1::TunnelFrame>* stream) {
  const NodePeer peer = NodePeerOf(*context);
  const Status known = admission_.Audited(peer, "Tunnel", "", admission_.CheckPeer(peer, ""));
  if (!known) return ToGrpc(known);
  v1::TunnelFrame first;
  if (!stream->Read(&first)) return ToGrpc(InvalidArgument("a tunnel begins with its channel"));
  const std::shared_ptr<Channel> channel = api_.channels.Claim(first.channel());
  if (channel == nullptr) return ToGrpc(NotFound("nobody waits for this channel"));
  Admission admission([] { return Ok(); });  // the channel ends with its caller's stream
  GrpcConversation<v1::TunnelFrame, v1::TunnelFrame> tunnel(*context, admission, *stream);
  channel->Attach(tunnel);
  return grpc::Status::OK;
}

}  // namespace gp
