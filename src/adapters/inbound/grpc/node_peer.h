#pragma once

#include <grpcpp/server_context.h>

#include "adapters/inbound/api/node_admission.h"

namespace gp {

// What the caller of a gRPC call proves about its node.
NodePeer NodePeerOf(const grpc::ServerContextBase& context);

}  // namespace gp
