#pragma once

#include <grpcpp/server_context.h>

#include <optional>

#include "lib/tls/certificate.h"

namespace gp {

// What an agent's connection proves.
struct NodePeer {
  bool is_encrypted = false;
  // TLS has verified its signature and validity period.  nullopt: the agent sent none.
  std::optional<CertificateFacts> certificate;
};

NodePeer NodePeerOf(const grpc::ServerContextBase& context);

}  // namespace gp
