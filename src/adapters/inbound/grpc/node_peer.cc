#include "adapters/inbound/grpc/node_peer.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>

namespace gp {

NodePeer NodePeerOf(const grpc::ServerContextBase& context) {
  NodePeer peer;
  peer.from = context.peer();
  const auto token = context.client_metadata().find("gp-join-token");
  if (token != context.client_metadata().end())
    peer.join_token.assign(token->second.data(), token->second.size());
  const auto facts = context.auth_context();
  if (facts == nullptr) return peer;
  const auto kinds = facts->FindPropertyValues(GRPC_TRANSPORT_SECURITY_TYPE_PROPERTY_NAME);
  peer.is_encrypted = !kinds.empty() && kinds.front() == GRPC_SSL_TRANSPORT_SECURITY_TYPE;
  const auto certificates = facts->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  if (!peer.is_encrypted || certificates.empty()) return peer;
  const auto certificate =
      ReadCertificate({certificates.front().data(), certificates.front().size()});
  if (certificate) peer.certificate = *certificate;
  return peer;
}

}  // namespace gp
