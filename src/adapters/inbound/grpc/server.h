#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adapters/inbound/api/api.h"
#include "base/result.h"
#include "lib/tls/authority.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"
#include "ports/outbound/secret_keeper.h"

namespace gp {

struct ServerOptions {
  std::string socket_directory;  // holds control.sock and ticket.sock
  std::string listen;            // "127.0.0.1:7070", port 0: any; empty: no TCP
  std::string join_token;
  // Signs the certificates of nodes; outlives the server
  const Authority* authority = nullptr;
  Duration node_certificate_life = Duration::Minutes(60 * 24 * 90);
  std::optional<Identity> identity;  // of the controller, for TCP; nullopt: no TLS
  // The secrets that jobs name; outlives the server; nullptr: none
  const SecretKeeper* secrets = nullptr;
};

// The gRPC server for users and agents: a Unix socket for this machine, and optionally a TCP
// address for agents of other machines.  It is shut down, then the gateways' writer ends, which may
// still answer joins, then it is destroyed.
class Server {
 public:
  // The gateways may start later; calls wait for them.  All references outlive the server.
  static Result<std::unique_ptr<Server>> Start(Api& api, ControlGateway& gateway,
                                               NodeGateway& nodes, const ServerOptions& options);
  virtual ~Server() = default;

  virtual int tcp_port() const = 0;  // 0: none
  virtual void Shutdown() = 0;
};

}  // namespace gp
