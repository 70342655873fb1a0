#include "adapters/inbound/api/node_admission.h"

#include "adapters/wire/bearer.h"
#include "base/text.h"
#include "lib/secrets/secrets.h"

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

Status NodeAdmission::CheckToken(const NodePeer& peer) const {
  if (SameSecret(peer.join_token, rules_.cluster_token)) return Ok();
  return Fail(Unauthenticated(
      "wrong or missing join token (the controller keeps it in its state directory, file "
      "join-token)"));
}

Result<std::string> NodeAdmission::CheckJoin(const NodePeer& peer, const std::string& node) const {
  if (peer.join_token.starts_with(kJoinTokenPrefix)) {
    std::string hash = Sha256(peer.join_token);
    GP_CHECK_OK(guard_.CheckJoinToken(node, hash));
    return hash;
  }
  if (rules_.single_use)
    return Fail(
        Unauthenticated("a node joins this cluster by a join token of its own (gpu-platform nodes "
                        "join-token " +
                        Printable(node, 60) + ")"));
  GP_CHECK_OK(CheckToken(peer));
  return std::string();
}

// TLS has verified the signature; this checks that the certificate was not revoked.
Status NodeAdmission::CheckPeer(const NodePeer& peer, const std::string& node) const {
  if (!peer.is_encrypted) return CheckToken(peer);
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

Status NodeAdmission::Audited(const NodePeer& peer, const std::string& operation,
                              const std::string& node, Status status) const {
  // The claimed node is unverified, so it appears only in the message.
  const std::string as = node.empty() ? "" : " (as node " + Printable(node, 60) + ")";
  if (!status)
    guard_.NoteRefusal(Origin("unknown", peer.from), operation,
                       {status.error().code, status.error().message + as});
  return status;
}

}  // namespace gp
