#pragma once

#include <optional>
#include <string>

#include "application/access/access_guard.h"
#include "base/result.h"
#include "lib/tls/certificate.h"

namespace gp {

// What an agent's connection proves.
struct NodePeer {
  std::string from;  // where it comes from, for the audit: "10.0.0.7:40312"
  bool is_encrypted = false;
  // TLS has verified its signature and validity period.  nullopt: the agent sent none.
  std::optional<CertificateFacts> certificate;
  std::string join_token;  // empty: the agent sent none
};

// Who may act as which node: the holder of its certificate, or, on connections without encryption,
// of the join token.  Any thread may call it.
class NodeAdmission {
 public:
  // The guard outlives it.
  NodeAdmission(AccessGuard& guard, std::string join_token)
      : guard_(guard), join_token_(std::move(join_token)) {}

  Status CheckToken(const NodePeer& peer) const;
  // `node`: whose certificate it must be; empty: any node.
  Status CheckPeer(const NodePeer& peer, const std::string& node) const;
  // Whether the certificate of this fingerprint is still the node's.
  bool IsValid(const std::string& node, const std::string& fingerprint) const {
    return guard_.CheckNode(node, fingerprint).has_value();
  }
  // Returns `status`; an error is written to the audit.  `node`: the name that the peer claims.
  Status Audited(const NodePeer& peer, const std::string& operation, const std::string& node,
                 Status status) const;

 private:
  AccessGuard& guard_;
  const std::string join_token_;
};

}  // namespace gp
