#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/inbound/api/api.h"
#include "base/result.h"
#include "files/descriptor.h"
#include "lib/tls/certificate.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"
#include "ports/outbound/metric_store.h"
#include "ports/outbound/secret_keeper.h"

namespace gp {

struct LinkServerOptions {
  std::string socket;  // path of the Unix socket for this machine
  std::string listen;  // "127.0.0.1:7070", port 0: any; empty: no TCP
  std::string join_token;
  std::optional<Identity> identity;  // of the controller, for TCP; nullopt: no TLS
  std::string authority;             // certificate (PEM) that nodes' are checked against
  std::string ticket_key;            // for the tickets of resumptions (TlsTickets)
  // The secrets that jobs name; outlives the server; nullptr: none
  const SecretKeeper* secrets = nullptr;
  // Where metrics of jobs are kept; outlives the server; nullptr: nowhere
  MetricStore* metrics = nullptr;
  // A connection that has not said who it is by then is closed.
  std::chrono::milliseconds hello_within{10'000};
};

// Takes a connection that is not an agent's: nothing of it was read.  It comes from the Unix socket
// or from TCP.
using PassOn = std::function<void(Descriptor connection, bool is_local)>;

// The controller's addresses.  It serves the connections of agents, all on one thread, and passes
// on all others: the first byte of a connection shows which it is.
class LinkServer {
 public:
  // All references outlive the server.  The gateways may start later.  Errors: kUnavailable,
  // kInvalidArgument (the address).
  static Result<std::unique_ptr<LinkServer>> Start(Api& api, ControlGateway& gateway,
                                                   NodeGateway& nodes,
                                                   const LinkServerOptions& options,
                                                   PassOn pass_on);
  virtual ~LinkServer() = default;

  virtual int tcp_port() const = 0;  // 0: none
  // Ends all connections.  Joins may still be answered, until the server is destroyed.
  virtual void Shutdown() = 0;
};

}  // namespace gp
