#pragma once

// What the connection of an agent proves by itself.

#include <grpcpp/server_context.h>

#include <optional>

#include "adapters/certificates/certificate.h"

namespace gp {

struct NodePeer {
  bool is_encrypted = false;
  // Signed by our authority and in its time: TLS has seen to that.  nullopt: none was shown.
  std::optional<CertificateFacts> certificate;
};

NodePeer NodePeerOf(const grpc::ServerContext& context);

}  // namespace gp
