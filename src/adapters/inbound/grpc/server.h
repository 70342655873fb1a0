#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/api/node_admission.h"
#include "base/result.h"
#include "files/descriptor.h"
#include "lib/tls/authority.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

struct ServerOptions {
  std::string socket_directory;  // holds ticket.sock
  bool has_tcp = false;          // connections from TCP will be served, too
  JoinRules joins;
  // Signs the certificates of nodes; outlives the server
  const Authority* authority = nullptr;
  Duration node_certificate_life = Duration::Minutes(60 * 24 * 90);
  std::optional<Identity> identity;  // of the controller, for TCP; nullopt: no TLS
};

// The gRPC server, for users and for agents' certificates and tunnels.  It serves the connections
// that it is given: LinkServer has the addresses.
class Server {
 public:
  // The gateway may start later; calls wait for it.  All references outlive the server.
  static Result<std::unique_ptr<Server>> Start(Api& api, ControlGateway& gateway,
                                               const ServerOptions& options);
  virtual ~Server() = default;

  // Serves a connection that was accepted from the Unix socket, or from TCP, and of which nothing
  // was read.  Any thread; not after Shutdown.
  virtual void Serve(Descriptor connection, bool is_local) = 0;
  virtual void Shutdown() = 0;
};

}  // namespace gp
