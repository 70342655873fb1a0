#pragma once

// One gRPC server for users and agents: a Unix socket for this machine, and if asked a TCP address
// for agents of others.

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

struct ServerOptions {
  std::string socket_directory;  // holds control.sock and ticket.sock
  std::string listen;            // "127.0.0.1:7070", port 0: any; empty: no TCP
  std::string join_token;
  std::string version;
  std::function<std::string(const State&)> metrics;  // in Prometheus' text format; empty: there are none
};

class Server {
 public:
  // The gateways may start after it: calls wait.
  static Result<std::unique_ptr<Server>> Start(ControlGateway& gateway, NodeGateway& nodes, const ServerOptions& options);
  virtual ~Server() = default;

  // To be told of every commit; they live as long as the server.
  virtual std::vector<CommitObserver*> Observers() = 0;
  virtual int tcp_port() const = 0;  // 0: none
  virtual void Shutdown() = 0;
};

}  // namespace gp
