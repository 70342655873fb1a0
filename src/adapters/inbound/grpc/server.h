#pragma once

// One gRPC server for users and agents: a Unix socket for this machine, and if asked a TCP address
// for agents of others.

#include <memory>
#include <optional>
#include <string>

#include "adapters/certificates/authority.h"
#include "adapters/inbound/api/api.h"
#include "base/result.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"
#include "ports/outbound/secret_keeper.h"

namespace gp {

struct ServerOptions {
  std::string socket_directory;  // holds control.sock and ticket.sock
  std::string listen;            // "127.0.0.1:7070", port 0: any; empty: no TCP
  std::string join_token;
  // Vouches for the controller and its nodes; outlives the server
  const Authority* authority = nullptr;
  Duration node_certificate_life = Duration::Minutes(60 * 24 * 90);
  std::optional<Identity> identity;  // the controller's, on TCP; nullopt: TCP is not encrypted
  // What jobs are given by name; outlives the server; nullptr: nothing
  const SecretKeeper* secrets = nullptr;
};

class Server {
 public:
  // The gateways may start after it: calls wait.  All three outlive it.
  static Result<std::unique_ptr<Server>> Start(Api& api, ControlGateway& gateway,
                                               NodeGateway& nodes, const ServerOptions& options);
  virtual ~Server() = default;

  virtual int tcp_port() const = 0;  // 0: none
  virtual void Shutdown() = 0;
};

}  // namespace gp
