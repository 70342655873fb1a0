#include "adapters/inbound/grpc/node_admission.h"

#include "adapters/inbound/grpc/node_peer.h"
#include "base/text.h"

namespace gp {
namespace {

// Constant time: the duration does not reveal where the two differ.
bool SameSecret(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

Status NodeAdmission::CheckToken(const grpc::ServerContextBase& context) const {
  const auto found = context.client_metadata().find("gp-join-token");
  if (found == context.client_metadata().end() ||
      !SameSecret({found->second.data(), found->second.size()}, join_token_)) {
    return Fail(
        Unauthenticated("wrong or missing join token (the controller keeps it in its state "
                        "directory, file join-token)"));
  }
  return Ok();
}

// TLS has verified the signature; this checks that the certificate was not revoked.
Status NodeAdmission::CheckPeer(const grpc::ServerContextBase& context,
                                const std::string& node) const {
  const NodePeer peer = NodePeerOf(context);
  if (!peer.is_encrypted) return CheckToken(context);
  if (!peer.certificate || peer.certificate->node.empty())
    return Fail(
        Unauthenticated("an agent must show a certificate of its node (gpu-platform agent gets "
                        "one by the join token)"));
  if (!node.empty() && peer.certificate->node != node) {
    return Fail(PermissionDenied("this is the certificate of node " + peer.certificate->node +
                                 ", not of " + Printable(node, 60)));
  }
  return guard_.CheckNode(peer.certificate->node, peer.certificate->fingerprint);
}

Status NodeAdmission::Audited(const grpc::ServerContextBase& context, const std::string& operation,
                              const std::string& node, Status status) const {
  // The claimed node is unverified, so it appears only in the message.
  const std::string as = node.empty() ? "" : " (as node " + Printable(node, 60) + ")";
  if (!status)
    guard_.NoteRefusal(Origin("unknown", context.peer()), operation, status.error().message + as);
  return status;
}

}  // namespace gp
