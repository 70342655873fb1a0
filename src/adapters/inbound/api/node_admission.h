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

// How a node gets its first certificate.
struct JoinRules {
  std::string cluster_token;
  bool single_use = false;  // by a join token of its own alone, not by the cluster's
};

// Who may act as which node: the holder of its certificate, or, on connections without encryption,
// of the cluster's join token.  Any thread may call it.
class NodeAdmission {
 public:
  // The guard outlives it.
  NodeAdmission(AccessGuard& guard, JoinRules rules) : guard_(guard), rules_(std::move(rules)) {}

  // By what the node may have its first certificate: the digest of its single-use join token, which
  // ends with that; empty: by the cluster's.  kUnauthenticated: by nothing.
  Result<std::string> CheckJoin(const NodePeer& peer, const std::string& node) const;
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
  Status CheckToken(const NodePeer& peer) const;

  AccessGuard& guard_;
  const JoinRules rules_;
};

}  // namespace gp
